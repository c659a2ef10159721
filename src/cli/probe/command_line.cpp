#include "memtest/cli/probe/command_line.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/base/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {
namespace {

constexpr std::uint64_t any_count = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t most_accesses = 1'000'000'000'000'000; // weeks in the fastest cache
constexpr unsigned most_batches = 10'000;         // all are kept until the last visit: some MiB for the usual sweep
constexpr std::uint64_t most_threads = 1U << 16U; // the machine's limit is lower, and checked later

unsigned parse_unsigned(const Argument& argument, unsigned smallest, unsigned largest) {
    return static_cast<unsigned>(parse_count(argument, smallest, largest));
}

std::size_t parse_line_size(const Argument& argument) {
    constexpr std::size_t word = 8;
    const std::size_t bytes = parse_size(argument, 1);
    if (bytes % word != 0)
        throw usage_error(
            fmt::format("--{} {}: a line must hold a pointer; give a multiple of {}", argument.name, bytes, word));
    return bytes;
}

std::vector<int> parse_cpus(const Argument& argument) {
    auto cpus = parse_distinct_ids(argument.value);
    if (!cpus)
        throw usage_error(fmt::format("--{} {}: give a list of processors, none twice, such as 2 or 0,4 or 0-3",
                                      argument.name, shown(argument.value)));
    return std::move(*cpus);
}

constexpr std::string_view every_counter = "all";

std::vector<std::string_view> counter_words() {
    std::vector<std::string_view> words = all_words<Counter>();
    words.push_back(every_counter);
    return words;
}

/// The counters that a word stands for; empty where it is none.
std::vector<Counter> counters_called(std::string_view word) {
    if (word == every_counter)
        return all_values<Counter>();
    const auto counter = value_of<Counter>(word);
    return counter ? std::vector{*counter} : std::vector<Counter>{};
}

std::vector<Counter> parse_counters(const Argument& argument) {
    std::vector<Counter> counters;
    for (std::string_view rest = argument.value;;) {
        const std::size_t comma = rest.find(',');
        const std::vector<Counter> more = counters_called(rest.substr(0, comma));
        if (more.empty())
            throw usage_error(fmt::format("--{} {}: give one or more of {}", argument.name, shown(argument.value),
                                          fmt::join(counter_words(), ", ")));
        for (const Counter counter : more) {
            if (std::ranges::find(counters, counter) != counters.end())
                throw usage_error(
                    fmt::format("--{} {}: {} is there twice", argument.name, shown(argument.value), word_of(counter)));
            counters.push_back(counter);
        }
        if (comma == std::string_view::npos)
            return counters;
        rest.remove_prefix(comma + 1);
    }
}

std::vector<int> parse_nodes(const Argument& argument) {
    auto nodes = parse_ids(argument.value);
    if (!nodes)
        throw usage_error(fmt::format("--{} {}: give a node for all threads, or a list of one for each, such as 0 or "
                                      "0,0,1",
                                      argument.name, shown(argument.value)));
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

// In the order of the help text.
constexpr std::array probe_table{
    Option<ProbeOptions>{what, 'l', "line-size", "B", "size of a cache line, the distance between nodes", "64",
                         [](ProbeOptions& o, const Argument& a) { o.shape.line_bytes = parse_line_size(a); }},
    Option<ProbeOptions>{
        what, 'a', "accesses", "N",
        "memory accesses timed for each memory size, shared among its visits (default: as many as the precision "
        "takes)",
        "", [](ProbeOptions& o, const Argument& a) { o.timing.accesses = parse_count(a, 1, most_accesses); }},
    Option<ProbeOptions>{what, 's', "stride", "B", "distance between two consecutive accesses", "512",
                         [](ProbeOptions& o, const Argument& a) { o.shape.stride_bytes = parse_size(a, 1); }},
    Option<ProbeOptions>{what, 'm', "max-size", "MiB", "largest tested size; fractions allowed", "1024",
                         [](ProbeOptions& o, const Argument& a) { o.max_bytes = parse_size(a, mib); }},
    Option<ProbeOptions>{what, 0, "min-size", "B",
                         "smallest tested size (default: 512, or the stride if that is larger)", "",
                         [](ProbeOptions& o, const Argument& a) { o.min_bytes = parse_size(a, 1); }},
    Option<ProbeOptions>{what, 0, "points", "N",
                         "sizes per doubling, 1 to 64 (default: the classic schedule, two from 4 KiB on)", "",
                         [](ProbeOptions& o, const Argument& a) { o.points = parse_unsigned(a, 1, 64); }},
    Option<ProbeOptions>{what, 'f', "forward", "", "forward scan instead of backward", "",
                         [](ProbeOptions& o, const Argument&) { o.shape.order = Order::forward; }},
    Option<ProbeOptions>{what, 'r', "random", "",
                         "one uniformly random cycle through all nodes; --stride and --forward do not go with it", "",
                         [](ProbeOptions& o, const Argument&) { o.shape.order = Order::random; }},
    Option<ProbeOptions>{
        what, 0, "tlb-locality", "SIZE",
        "random order within blocks of SIZE, block after block, so that few pages are in use at a time", "",
        [](ProbeOptions& o, const Argument& a) { o.shape.tlb_locality_bytes = parse_size(a, 1); }},
    Option<ProbeOptions>{what, 'i', "index", "", "index-based chain instead of pointer-based", "",
                         [](ProbeOptions& o, const Argument&) { o.shape.link = Link::index; }},
    Option<ProbeOptions>{what, 0, "seed", "N", "seed of the random order", "1",
                         [](ProbeOptions& o, const Argument& a) { o.shape.seed = parse_count(a, 0, any_count); }},

    Option<ProbeOptions>{where, 'c', "concurrent", "", "two concurrent threads (same as --threads 2)", "",
                         [](ProbeOptions& o, const Argument&) { o.threads = 2; }},
    Option<ProbeOptions>{where, 't', "threads", "N",
                         "N threads, each with its own memory and chain, walking at the same time", "1",
                         [](ProbeOptions& o, const Argument& a) { o.threads = parse_unsigned(a, 1, most_threads); }},
    Option<ProbeOptions>{
        where, 'p', "parallel", "K", "K independent chains walked side by side by each thread, 1 to 32", "1",
        [](ProbeOptions& o, const Argument& a) { o.shape.parallel = parse_unsigned(a, 1, max_parallel); }},
    Option<ProbeOptions>{
        where, 0, "cpu", "LIST",
        "processors to run on, one per thread, such as 2 or 0,4 or 0-3 (default: one per physical core "
        "first, starting with the current one)",
        "", [](ProbeOptions& o, const Argument& a) { o.cpus = parse_cpus(a); }},
    Option<ProbeOptions>{
        where, 0, "node", "LIST",
        "NUMA node of the memory, or one per thread, such as 1 or 0,1 (default: the one that the thread runs "
        "on)",
        "", [](ProbeOptions& o, const Argument& a) { o.nodes = parse_nodes(a); }},
    Option<ProbeOptions>{
        where, 0, "pages", "KIND",
        "default (the system's policy), 4k (base pages, no transparent huge pages), thp (transparent huge "
        "pages), 2m, 1g (reserved huge pages)",
        "default", [](ProbeOptions& o, const Argument& a) { o.pages = parse_choice<PageKind>(a); },
        all_words<PageKind>},

    Option<ProbeOptions>{
        how, 0, "visits", "N",
        "measure each size N times, at other moments and places in memory, 1 to 1000; with a precision at "
        "most N times (default: 16 with a precision, else 4)",
        "", [](ProbeOptions& o, const Argument& a) { o.timing.visits = parse_unsigned(a, 1, 1000); }},
    Option<ProbeOptions>{
        how, 0, "warmup", "N",
        "untimed laps before timing, 0 to 1000; 0 times from the first hop (default: the state of a long walk)", "",
        [](ProbeOptions& o, const Argument& a) { o.warmup_laps = parse_unsigned(a, 0, 1000); }},
    Option<ProbeOptions>{
        how, 0, "batches", "N", "timed batches that the --accesses are split into, 1 to 10000 (default: 32)", "",
        [](ProbeOptions& o, const Argument& a) { o.timing.batches = parse_unsigned(a, 1, most_batches); }},
    Option<ProbeOptions>{
        how, 0, "estimate", "E", "what the latency column reports over the batches: min, median or mean", "min",
        [](ProbeOptions& o, const Argument& a) { o.timing.estimate = parse_choice<Estimate>(a); }, all_words<Estimate>},
    Option<ProbeOptions>{
        how, 0, "precision", "PCT",
        "visit each size until its visits agree to PCT percent; --accesses is then the limit (default: 2, "
        "off where only --accesses is given)",
        "", [](ProbeOptions& o, const Argument& a) { o.timing.precision_percent = parse_percent(a, 50); }},

    Option<ProbeOptions>{
        printed, 0, "stats", "",
        "append columns: min, median, mean, spread within a visit (interquartile range over median), disagreement "
        "between visits, visits, batches, notes",
        "", [](ProbeOptions& o, const Argument&) { o.stats = true; }},
    Option<ProbeOptions>{printed, 0, "cycles", "", "append a column: latency in core cycles", "",
                         [](ProbeOptions& o, const Argument&) { o.cycles = true; }},
    Option<ProbeOptions>{printed, 0, "counters", "LIST",
                         "append a column for each counter: its events per access in the timed part; cycles, "
                         "instructions, l1d-misses, llc-misses, dtlb-misses, page-faults, context-switches, or all",
                         "", [](ProbeOptions& o, const Argument& a) { o.counters = parse_counters(a); }, counter_words},
    Option<ProbeOptions>{printed, 0, "levels", "", "after the rows, print the inferred hierarchy as # lines", "",
                         [](ProbeOptions& o, const Argument&) { o.levels = true; }},
    Option<ProbeOptions>{printed, 0, "format", "F", "csv, or json: one document with every batch", "csv",
                         [](ProbeOptions& o, const Argument& a) { o.format = parse_choice<Format>(a); },
                         all_words<Format>},
    Option<ProbeOptions>{printed, 'o', "output", "FILE", "write there instead of standard output", "",
                         [](ProbeOptions& o, const Argument& a) { o.output = parse_file_name(a); }},
    Option<ProbeOptions>{printed, 'q', "quiet", "", "rows and header only: no # lines, no progress, no warnings", "",
                         [](ProbeOptions& o, const Argument&) { o.quiet = true; }},
    Option<ProbeOptions>{printed, 'V', "version", "", "print the version and exit", "",
                         [](ProbeOptions& o, const Argument&) { o.version = true; }},
};

/// Two options that contradict each other.
struct Conflict {
    std::string_view first;
    std::string_view second;
    std::string_view reason;
};

constexpr std::array conflicts{
    Conflict{"forward", "random", ""},
    Conflict{"stride", "random", ", which visits the lines in no fixed distance"},
    Conflict{"concurrent", "threads", ": it means two threads"},
};

/// "--stride 512", "--forward".
std::string as_given(const GivenOption& option) {
    return fmt::format("--{}{}{}", option.name, option.value.empty() ? "" : " ", option.value);
}

void check_conflicts(const CommandLine& line) {
    for (const Conflict& conflict : conflicts) {
        const GivenOption* first = line.given(conflict.first);
        const GivenOption* second = line.given(conflict.second);
        if (first != nullptr && second != nullptr)
            throw usage_error(fmt::format("{} does not go with {}{}; leave one of them out", as_given(*first),
                                          as_given(*second), conflict.reason));
    }
}

/// Settles how sizes are timed. Accesses without a precision are exact.
void settle_timing(TimingPlan& timing, const CommandLine& line) {
    if (line.given("accesses") != nullptr && line.given("precision") == nullptr)
        timing.precision_percent.reset();
    if (!timing.precision_percent && line.given("visits") == nullptr)
        timing.visits = default_visits_without_precision;
    if (timing.precision_percent && line.given("batches") != nullptr)
        throw usage_error(fmt::format("--batches {} splits accesses whose number is fixed; give --accesses, and no "
                                      "--precision",
                                      timing.batches));
}

/// Blames the line size where the stride is the default.
void check_line_size(const ChainShape& shape, const CommandLine& line) {
    if (shape.order != Order::random && line.given("stride") == nullptr && shape.stride_bytes % shape.line_bytes != 0)
        throw usage_error(fmt::format("--line-size {}: the stride must be a multiple of it and is {} unless given; "
                                      "give --stride too",
                                      shape.line_bytes, shape.stride_bytes));
}

} // namespace

std::span<const Option<ProbeOptions>> probe_options() {
    return probe_table;
}

const Option<ProbeOptions>& probe_option(std::string_view name) {
    return *std::ranges::find(probe_table, name, &Option<ProbeOptions>::name);
}

ProbeOptions parse_probe_options(const std::vector<std::string>& arguments) {
    ProbeOptions options;
    const CommandLine line = split_command_line(texts_of(probe_table), arguments, "memtest");
    apply(probe_table, line, options);
    if (options.version)
        return options;
    if (!line.operands.empty())
        throw usage_error(
            fmt::format("unexpected argument '{}'; 'memtest --help' lists verbs and options", line.operands.front()));
    check_conflicts(line);
    settle_timing(options.timing, line);
    check_line_size(options.shape, line);
    check_options(options);
    return options;
}

} // namespace memtest
