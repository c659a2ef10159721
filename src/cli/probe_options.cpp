#include "memtest/cli/probe_options.hpp"

#include "memtest/cli/description.hpp"
#include "memtest/error.hpp"
#include "memtest/machine/cpu_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {
namespace {

constexpr std::uint64_t any_count = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t most_accesses = 1'000'000'000'000'000; // weeks in the fastest cache
constexpr unsigned most_batches = 10'000; // of each size are kept until its last visit: some MiB for the usual sweep
constexpr std::uint64_t most_threads = 1U << 16U; // the machine's own limit comes later, and is lower

unsigned parse_unsigned(const Argument& argument, unsigned smallest, unsigned largest) {
    return static_cast<unsigned>(parse_count(argument, smallest, largest));
}

std::string_view word_of(Format format) {
    return format == Format::json ? "json" : "csv";
}

// What some options choose from. On the command line each goes by its word_of.
constexpr std::array page_kinds{PageKind::system_default, PageKind::base, PageKind::transparent_huge, PageKind::huge_2m,
                                PageKind::huge_1g};
constexpr std::array formats{Format::csv, Format::json};
constexpr std::array estimates{Estimate::min, Estimate::median, Estimate::mean};

template<const auto& choices>
std::vector<std::string_view> words_for() {
    std::vector<std::string_view> words;
    for (const auto choice : choices)
        words.push_back(word_of(choice));
    return words;
}

/// One of a few words. @throws Error (usage) that lists them
template<const auto& choices>
auto parse_choice(const Argument& argument) {
    const auto chosen = std::ranges::find(choices, argument.value, [](auto choice) { return word_of(choice); });
    if (chosen == choices.end())
        throw usage_error(fmt::format("--{} {}: give one of {}", argument.name, shown(argument.value),
                                      fmt::join(words_for<choices>(), ", ")));
    return *chosen;
}

std::vector<int> parse_cpus(const Argument& argument) {
    auto cpus = parse_cpu_list(argument.value);
    if (!cpus)
        throw usage_error(fmt::format("--{} {}: give a list of processors, none twice, such as 2 or 0,4 or 0-3",
                                      argument.name, shown(argument.value)));
    return std::move(*cpus);
}

constexpr std::string_view every_counter = "all";

std::vector<std::string_view> counter_words() {
    std::vector<std::string_view> words = words_for<all_counters>();
    words.push_back(every_counter);
    return words;
}

/// The counters that a word stands for; empty where it is none.
std::vector<Counter> counters_called(std::string_view word) {
    std::vector<Counter> counters;
    std::ranges::copy_if(all_counters, std::back_inserter(counters),
                         [word](Counter c) { return word == every_counter || word == word_of(c); });
    return counters;
}

std::vector<Counter> parse_counters(const Argument& argument) {
    std::vector<Counter> counters;
    for (std::string_view rest = argument.value;;) {
        const std::size_t comma = rest.find(',');
        const std::vector<Counter> more = counters_called(rest.substr(0, comma));
        if (more.empty())
            throw usage_error(fmt::format("--{} {}: give one or more of {}", argument.name, argument.value,
                                          fmt::join(counter_words(), ", ")));
        for (const Counter counter : more) {
            if (std::ranges::find(counters, counter) != counters.end())
                throw usage_error(
                    fmt::format("--{} {}: {} is there twice", argument.name, argument.value, word_of(counter)));
            counters.push_back(counter);
        }
        if (comma == std::string_view::npos)
            return counters;
        rest.remove_prefix(comma + 1);
    }
}

std::vector<int> parse_nodes(const Argument& argument) {
    auto nodes = parse_id_list(argument.value);
    if (!nodes)
        throw usage_error(fmt::format("--{} {}: give a node for all threads, or a list of one for each, such as 0 or "
                                      "0,0,1",
                                      argument.name, argument.value));
    return std::move(*nodes);
}

std::string parse_file_name(const Argument& argument) {
    if (argument.value.empty())
        throw usage_error(fmt::format("--{} '': give the name of a file", argument.name));
    return std::string(argument.value);
}

constexpr std::string_view what = "What is measured";
constexpr std::string_view where = "On what";
constexpr std::string_view how = "How it is timed";
constexpr std::string_view printed = "What is printed";

// In the order of the help text. An option without an argument is a flag.
constexpr std::array table{
    Option<Options>{what, 'l', "line-size", "B", "size of a cache line, the distance between nodes", "64",
                    [](Options& o, const Argument& a) { o.line_bytes = parse_size(a, 1); }},
    Option<Options>{
        what, 'a', "accesses", "N",
        "memory accesses timed for each memory size, shared among its visits (default: as many as the precision "
        "takes)",
        "", [](Options& o, const Argument& a) { o.accesses = parse_count(a, 1, most_accesses); }},
    Option<Options>{what, 's', "stride", "B", "distance between two consecutive accesses", "512",
                    [](Options& o, const Argument& a) { o.stride_bytes = parse_size(a, 1); }},
    Option<Options>{what, 'm', "max-size", "MiB", "largest tested size; fractions allowed", "1024",
                    [](Options& o, const Argument& a) { o.max_bytes = parse_size(a, mib); }},
    Option<Options>{what, 0, "min-size", "B", "smallest tested size (default: 512, or the stride if that is larger)",
                    "", [](Options& o, const Argument& a) { o.min_bytes = parse_size(a, 1); }},
    Option<Options>{what, 0, "points", "N",
                    "sizes per doubling, 1 to 64 (default: the classic schedule, two from 4 KiB on)", "",
                    [](Options& o, const Argument& a) { o.points = parse_unsigned(a, 1, 64); }},
    Option<Options>{what, 'f', "forward", "", "forward scan instead of backward", "",
                    [](Options& o, const Argument&) { o.forward = true; }},
    Option<Options>{what, 'r', "random", "",
                    "one uniformly random cycle through all nodes; --stride and --forward do not go with it", "",
                    [](Options& o, const Argument&) { o.random = true; }},
    Option<Options>{
        what, 0, "tlb-locality", "SIZE",
        "random order confined to blocks of SIZE, block after block, so that few pages are in use at a time", "",
        [](Options& o, const Argument& a) { o.tlb_locality_bytes = parse_size(a, 1); }},
    Option<Options>{what, 'i', "index", "", "index-based chain instead of pointer-based", "",
                    [](Options& o, const Argument&) { o.index = true; }},
    Option<Options>{what, 0, "seed", "N", "seed of the random order", "1",
                    [](Options& o, const Argument& a) { o.seed = parse_count(a, 0, any_count); }},

    Option<Options>{where, 'c', "concurrent", "", "two concurrent threads (same as --threads 2)", "",
                    [](Options& o, const Argument&) { o.concurrent = true; }},
    Option<Options>{where, 't', "threads", "N",
                    "N threads, each with its own memory and chain, walking at the same time", "1",
                    [](Options& o, const Argument& a) { o.threads = parse_unsigned(a, 1, most_threads); }},
    Option<Options>{where, 'p', "parallel", "K", "K independent chains walked side by side by each thread, 1 to 32",
                    "1", [](Options& o, const Argument& a) { o.parallel = parse_unsigned(a, 1, max_parallel); }},
    Option<Options>{where, 0, "cpu", "LIST",
                    "processors to run on, one per thread, such as 2 or 0,4 or 0-3 (default: one per physical core "
                    "first, starting with the current one)",
                    "", [](Options& o, const Argument& a) { o.cpus = parse_cpus(a); }},
    Option<Options>{where, 0, "node", "LIST",
                    "NUMA node that the memory is taken from, or one per thread, such as 1 or 0,1 (default: the one "
                    "that the thread runs on)",
                    "", [](Options& o, const Argument& a) { o.nodes = parse_nodes(a); }},
    Option<Options>{where, 0, "pages", "KIND",
                    "default (the system's policy), 4k (base pages, no transparent huge pages), thp (transparent huge "
                    "pages), 2m, 1g (reserved huge pages)",
                    "default", [](Options& o, const Argument& a) { o.pages = parse_choice<page_kinds>(a); },
                    words_for<page_kinds>},

    Option<Options>{how, 0, "visits", "N",
                    "measure each size N times, at other moments and places in memory, 1 to 1000; with a precision: at "
                    "most (default: 16 with a precision, else 4)",
                    "", [](Options& o, const Argument& a) { o.visits = parse_unsigned(a, 1, 1000); }},
    Option<Options>{how, 0, "warmup", "N",
                    "untimed laps before timing, 0 to 1000; 0 times from the first hop (default: 1, of at most 10 ms)",
                    "", [](Options& o, const Argument& a) { o.warmup_laps = parse_unsigned(a, 0, 1000); }},
    Option<Options>{how, 0, "batches", "N",
                    "timed batches that the --accesses are split into, 1 to 10000 (default: 32)", "",
                    [](Options& o, const Argument& a) { o.batches = parse_unsigned(a, 1, most_batches); }},
    Option<Options>{how, 0, "estimate", "E", "what the latency column reports over the batches: min, median or mean",
                    "min", [](Options& o, const Argument& a) { o.estimate = parse_choice<estimates>(a); },
                    words_for<estimates>},
    Option<Options>{how, 0, "precision", "PCT",
                    "visit each size until its visits agree to PCT percent; --accesses is then the limit (default: 2, "
                    "off where only --accesses is given)",
                    "", [](Options& o, const Argument& a) { o.precision_percent = parse_percent(a, 50); }},

    Option<Options>{
        printed, 0, "stats", "",
        "append columns: min, median, mean, spread within a visit (interquartile range over median), spread between "
        "visits (largest over smallest), visits, batches, notes",
        "", [](Options& o, const Argument&) { o.stats = true; }},
    Option<Options>{printed, 0, "cycles", "", "append a column: latency in core cycles", "",
                    [](Options& o, const Argument&) { o.cycles = true; }},
    Option<Options>{printed, 0, "counters", "LIST",
                    "append a column each, per access, of what the kernel counts over the timed part: cycles, "
                    "instructions, l1d-misses, llc-misses, dtlb-misses, page-faults, context-switches, or all",
                    "", [](Options& o, const Argument& a) { o.counters = parse_counters(a); }, counter_words},
    Option<Options>{printed, 0, "levels", "", "after the rows, print the inferred hierarchy as # lines", "",
                    [](Options& o, const Argument&) { o.levels = true; }},
    Option<Options>{printed, 0, "format", "F", "csv, or json: one document with every batch", "csv",
                    [](Options& o, const Argument& a) { o.format = parse_choice<formats>(a); }, words_for<formats>},
    Option<Options>{printed, 'o', "output", "FILE", "write there instead of standard output", "",
                    [](Options& o, const Argument& a) { o.output = parse_file_name(a); }},
    Option<Options>{printed, 'q', "quiet", "", "rows and header only: no # lines, no progress", "",
                    [](Options& o, const Argument&) { o.quiet = true; }},
    Option<Options>{printed, 'h', "help", "", "print this and exit", "",
                    [](Options& o, const Argument&) { o.help = true; }},
    Option<Options>{printed, 'V', "version", "", "print the version and exit", "",
                    [](Options& o, const Argument&) { o.version = true; }},
};

} // namespace

std::span<const Option<Options>> probe_options() {
    return table;
}

Options parse_probe_options(const std::vector<std::string>& arguments) {
    Options options;
    const std::vector<std::string> operands = parse_command_line(probe_options(), arguments, options, "memtest");
    if (options.help || options.version)
        return options;
    if (!operands.empty())
        throw usage_error(
            fmt::format("unexpected argument '{}'; 'memtest --help' lists the options", operands.front()));
    check_options(options);
    return options;
}

std::string probe_help() {
    return "Usage: memtest [options]\n"
           "       memtest levels FILE           read the hierarchy off a stored sweep\n"
           "       memtest compare BASE... NEW   judge a sweep against others by exit status\n\n"
           "Measures the access latency of every level of the memory hierarchy: times a\n"
           "dependent walk along a chain of cache lines for areas of growing size and\n"
           "prints CSV rows of size against ns per access.\n" +
           help_text(texts_of(probe_options())) +
           "\nA size may carry a unit: 64K, 1.5M, 2G, 512KiB (powers of 1024).\n"
           "Exit status: 0 success, 1 failure while running, 2 usage error,\n"
           "128+n when ended by signal n.\n";
}

} // namespace memtest
