#include "memtest/cli/manual.hpp"

#include "memtest/cli/option_table.hpp"
#include "memtest/cli/verbs/verbs.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string_view>
#include <vector>

namespace memtest {
namespace {

/// Text for roff: no character of it is taken for a command, and a dash is one that can be copied.
std::string roff(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\\')
            escaped += "\\e";
        else if (c == '-')
            escaped += "\\-";
        else
            escaped += c;
    }
    return escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" + escaped : escaped;
}

std::string section(std::string_view title, std::string_view text) {
    return fmt::format(".SH {}\n{}", title, text);
}

std::string options_section(const std::vector<OptionText>& table, bool with_groups) {
    std::string text;
    std::string_view group;
    for (const OptionText& option : table) {
        if (with_groups && option.group != group) {
            group = option.group;
            text += fmt::format(".SS {}\n", roff(group));
        }
        const std::string short_form = option.short_name == 0 ? "" : fmt::format("\\fB\\-{}\\fR, ", option.short_name);
        const std::string argument = option.argument.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(option.argument));
        const std::string preset = option.preset.empty() ? "" : fmt::format(" Default: {}.", roff(option.preset));
        text += fmt::format(".TP\n{}\\fB\\-\\-{}\\fR{}\n{}.{}\n", short_form, roff(option.name), argument,
                            roff(option.help), preset);
    }
    return text;
}

constexpr std::string_view description_text =
    R"(\fBmemtest\fR measures the access latency of every level of the memory hierarchy. It builds a chain of nodes, each
one cache line long, inside a memory area, times a dependent walk along the chain, and repeats this for areas of growing
size. It prints CSV on standard output: a row per size and thread.
.PP
\fBmemtest tlb\fR measures what address translation costs, and shows the TLBs: it times a walk through one line in each of
4, 5, 6 and more pages against a walk through as many lines in few pages, which fill the data caches alike.
.PP
\fBmemtest levels\fR reads the sizes and latencies of the caches off a stored sweep. Given what \fBmemtest tlb\fR printed,
too, it takes off what translation adds, so that no TLB looks like a cache. Given two sweeps, with small and with
huge pages, it prints what address translation costs at each size.
.PP
\fBmemtest compare\fR judges the last of several sweeps against the others and answers by exit status.
.PP
A size may carry a unit: 64K, 1.5M, 2G, 512KiB (powers of 1024). Without a verb the program is the probe.
)";

constexpr std::string_view output_text =
    R"roff(.SS memtest
Lines that begin with # describe the run: three sentences, then lines of the form
.IR "# key: value" ,
with these keys: order, link, line, stride (not with \-\-random), tlb locality, max size (where the default was lowered to
what fits), threads, parallel, estimate, visits, warmup, node, pages (asked for), pages got (read back from the kernel),
cpu, processors, caches (as the kernel reports them), kernel, core clock, seed; behind the rows core clock range, level L1
and so on, level memory, remark. gnuplot skips these lines; \fBlevels\fR and \fBcompare\fR read them back, and skip lines of
another form. Then come a line that names the columns, and the rows. The first three columns are always
.IR "Thread, Mem size (MiB), Access latency (ns)" .
What is not known is an empty field.
.PP
With \fB\-\-format json\fR the run is one document: headline, description (the keys above), rows (each with
its visits: start_ms since the sweep began, place_bytes in the thread's memory, core_ghz, batches_ns),
closing and levels; its numbers are those of the CSV.
.PP
A visit is one size in one round of the sweep, at a place in memory of its own; sizes whose visits agree are not visited
again. The column Spread (%) is the interquartile range of the batches in percent of their median, the median over the
visits. Visits (%) is how far the visits disagree: for the min, by how much the third smallest exceeds the smallest, else half the 95 % confidence interval. The columns of counters (Cycles per access,
L1d misses per access and so on) hold means over all timed batches of a row, the clock readings between them included;
cycles, instructions and misses are those of the program alone, not of the kernel. The words in the column Notes are:
.TP
.B preempted
the kernel took the processor away during a timed part
.TP
.B migrated
the thread ended a timed part on another processor than it began it on
.TP
.B faulted
pages were missing during a timed part
.TP
.B bimodal
the batches of a visit fall into two groups
.TP
.B single
without a precision: fewer than two other batches came within 2 % of the smallest, which is reported
.TP
.B limit
the visits or accesses were used up, or the run was interrupted, before the visits agreed to the precision
.TP
.B coarse
the clock is too coarse for so few accesses
.SS memtest tlb
A row for each number of pages, in the columns:
.TP
.B Pages
that lines are in, and the number of lines
.TP
.B Reach (KiB)
the memory that these pages map
.TP
.B Spread (ns)
the latency with one line in each page: the smallest of several rounds
.TP
.B Packed (ns)
the same with as many lines side by side, walked in blocks of 16 pages
.TP
.B Translation (ns)
the difference of the two
.PP
Behind the rows
.I "# tlb L1:"
and
.I "# tlb L2:"
say how many pages a TLB holds (entries), what translation costs where it serves them, and how sure that is: high for a
step within half a doubling, fair for a slower one, low where the latency of the packed lines moves meanwhile or outweighs
the step.
.I "# walk:"
gives the cost of page walks behind the second TLB, and
.I "# beyond tlb L1:"
what follows the first where no second one ends. Page walks have no single cost: they grow as the page tables leave one
cache after another. A virtual machine's huge pages may be small ones of its host; a remark says so where
\fB\-\-pages\fR asks for huge ones.
.SS memtest levels
A row for each level that the sweep shows, from the nearest to memory, in the columns:
.TP
.B Thread
only where the sweep has several
.TP
.B Level
L1, L2 and so on, or memory
.TP
.B Capacity (KiB)
between the last size that fits and the first that does not; one figure where they are one; empty for memory
.TP
.B Latency (ns), Latency (cycles)
of an access that the level serves; cycles where the sweep has a core clock
.TP
.B From (MiB), To (MiB)
the sizes that the latency rests on
.PP
Lines that begin with # come ahead: remarks, the confidence in each level (high, fair or low), and the capacity found
beside the one that the kernel reports.
.PP
With \fB\-\-fit\fR, a row for each thread and size in the columns
.IR "Thread, Mem size (MiB), Access latency (ns), Modelled latency (ns)" .
.PP
Of two sweeps, a row for each thread and size that both have:
.TP
.B Small pages (ns), Huge pages (ns)
the latency with either
.TP
.B Translation (ns)
small less huge pages; below zero where noise exceeds the cost
.TP
.B Translation (%)
the same in percent of the latency with huge pages
.SS memtest compare
A table of sizes, one of levels, and a sentence with the verdict. With \fB\-\-csv\fR, a row for each thread and size
of the new sweep that a baseline has, too; behind the rows a line for each level, such as
.IR "# level L1: base 1.083 ns, new 1.092 ns, change 0.8 %, noise 2.0 %, no difference" ,
and two for the whole:
.I # verdict:
and
.IR "# reason:" .
Behind
.I Thread
and
.I Mem size (MiB)
the columns are:
.TP
.B Base (ns)
the median of the baselines
.TP
.B New (ns)
the sweep that is judged
.TP
.B Change (%)
from the one to the other, above zero where the new one is slower
.TP
.B Noise (%)
the largest rise that noise alone explains, from the batches of the runs, the spread between the baselines and, for a
level, what its sizes disagree about
.TP
.B Verdict
on this size, in one of the words that serve for a level and for the whole, too:
.TP
.B slower
the rise exceeds the tolerance and the noise; on the whole: it does at a level (without levels: at four neighbouring
sizes of a thread)
.TP
.B faster
the same for a fall; on the whole: at a level or at four neighbouring sizes of a thread
.TP
.B no difference
none of the others
.TP
.B cannot tell
the rise exceeds the tolerance but not the noise, or the noise would hide four times the tolerance; for a level also:
it has one size, which is slower, or its latency has come close to that of the next, as when others on the machine fill
the cache; on the whole: this holds at a level (without levels: at most sizes), two neighbouring sizes are slower where
no level is, or the sweeps share less than half of their sizes or less than four
)roff";

constexpr std::string_view status_text = R"(.TP
.B 0
success; for \fBcompare\fR: not slower
.TP
.B 1
a failure while running, such as a write error
.TP
.B 2
a usage error: nothing was measured; for \fBcompare\fR also sweeps that measured different things
.TP
.B 3
\fBcompare\fR: slower
.TP
.B 4
\fBcompare\fR: cannot tell
.TP
.B 128+n
ended by signal n; every finished row was written
)";

constexpr std::string_view examples_text = R"(.TP
.B memtest \-\-random \-\-pages thp \-\-levels
the latencies of caches and memory without page walks, and the levels read off
.TP
.B memtest \-\-random \-\-precision 2 \-\-stats \-o new.csv && memtest compare base.csv new.csv
a quick sweep, judged against an earlier one
.TP
.B memtest \-c \-\-cpu 0,1
two threads, and what they cost one another
)";

std::string upper_case(std::string_view text) {
    std::string upper;
    for (const char c : text)
        upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return upper;
}

std::string synopsis() {
    std::string text;
    for (const Verb& verb : verbs())
        text += fmt::format("{}.B memtest{}{}\n[\\fIoptions\\fR] \\fI{}\\fR\n", text.empty() ? "" : ".br\n",
                            verb.name.empty() ? "" : " ", verb.name, roff(verb.operands));
    return text;
}

std::string options_of_verbs() {
    std::string text;
    for (const Verb& verb : verbs())
        text += verb.name.empty() ? section("OPTIONS", options_section(verb.options(), true))
                                  : section(fmt::format("OPTIONS OF {}", upper_case(verb.name)),
                                            options_section(verb.options(), false));
    return text;
}

} // namespace

std::string man_page() {
    return fmt::format(".TH MEMTEST 1 \"\" \"memtest {}\" \"User Commands\"\n", version) +
           section("NAME", "memtest \\- measures the access latency of the memory hierarchy\n") +
           section("SYNOPSIS", synopsis()) + section("DESCRIPTION", description_text) + options_of_verbs() +
           section("OUTPUT", output_text) + section("EXIT STATUS", status_text) + section("EXAMPLES", examples_text);
}

} // namespace memtest
