#include "memtest/cli/options.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/measure/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>

namespace memtest {
namespace {

constexpr std::uint64_t any_count = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t most_accesses = 1'000'000'000'000'000; // weeks in the fastest cache
constexpr unsigned most_batches = 10'000; // all are kept until the last visit: some MiB for the usual sweep
constexpr double longest_seconds = 86'400;
constexpr std::uint64_t most_threads = 1U << 16U; // the machine's limit is lower, and checked later

unsigned parse_unsigned(const GivenOption& argument, unsigned smallest, unsigned largest) {
    return static_cast<unsigned>(parse_count(argument, smallest, largest));
}

std::size_t parse_line_size(const GivenOption& argument) {
    constexpr std::size_t word = 8;
    const std::size_t bytes = parse_size(argument, 1);
    if (bytes % word != 0)
        throw usage_error(fmt::format("--{} {}: expected a multiple of {}, so that a line holds a pointer",
                                      argument.name, bytes, word));
    return bytes;
}

constexpr std::string_view every_counter = "all";

std::vector<std::string_view> counter_words() {
    std::vector<std::string_view> words = all_words<Counter>();
    words.push_back(every_counter);
    return words;
}

std::vector<Counter> parse_counters(const GivenOption& argument) {
    std::vector<Counter> counters;
    for (const std::string_view word : parse_words(argument, counter_words())) {
        const std::optional<Counter> one = value_of<Counter>(word);
        for (const Counter counter : one ? std::vector{*one} : all_values<Counter>()) {
            if (std::ranges::find(counters, counter) != counters.end())
                throw usage_error(
                    fmt::format("--{} {}: {} is given twice", argument.name, shown(argument.value), word_of(counter)));
            counters.push_back(counter);
        }
    }
    return counters;
}

std::vector<int> parse_nodes(const GivenOption& argument) {
    if (auto nodes = parse_ids(argument.value))
        return std::move(*nodes);
    throw refused(argument, "one node for all threads or a list of one per thread, such as 0 or 0,0,1");
}

/// Sets the processors, or the kind of cores to choose them of.
void set_processors(Options& options, const GivenOption& argument) {
    const bool is_name = std::isalpha(static_cast<unsigned char>(argument.value[0])) != 0;
    options.core_kind = is_name ? std::optional(argument.value) : std::nullopt;
    options.cpus = is_name ? std::nullopt : parse_distinct_ids(argument.value);
    if (!is_name && !options.cpus)
        throw refused(argument, "distinct processors, such as 2 or 0,4 or 0-3, or the name of a kind of cores");
}

constexpr std::string_view what = "What is measured";
constexpr std::string_view where = "Where it runs";
constexpr std::string_view how = "How it is timed";
constexpr std::string_view printed = "Output";

// In the order of the help text.
const auto sweep_table = std::to_array<MeasuringOption>({
    {{what, 'l', "line-size", "B", "distance between neighbouring elements of the chain, usually the cache line size",
      "64"},
     [](auto& o, auto& a) { o.shape.line_bytes = parse_line_size(a); }},
    {{what, 'a', "accesses", "N",
      "most accesses to time per size, over all visits (default: no limit; --precision decides)"},
     [](auto& o, auto& a) { o.timing.accesses = parse_count(a, 1, most_accesses); }},
    {{what, 's', "stride", "B", "distance between consecutive accesses; further passes take the lines between", "512"},
     [](auto& o, auto& a) { o.shape.stride_bytes = parse_size(a, 1); }},
    {{what, 'm', "max-size", "MiB", "largest tested size; fractions are allowed", "1024"},
     [](auto& o, auto& a) { o.max_bytes = parse_size(a, mib); }},
    {{what, 0, "min-size", "B", "smallest tested size (default: 512, or the stride if that is larger)"},
     [](auto& o, auto& a) { o.min_bytes = parse_size(a, 1); }},
    {{what, 0, "points", "N",
      "sizes per doubling, 1 to 64 (default: as lat_mem_rd: 512 B, 1, 2, 3, 4 KiB, then two per doubling)"},
     [](auto& o, auto& a) { o.points = parse_unsigned(a, 1, 64); }},
    {{what, 'f', "forward", "", "scan forward instead of backward"},
     [](auto& o, auto&) { o.shape.order = Order::forward; }},
    {{what, 'r', "random", "",
      "visit all lines in one random order: use it to measure latency; cannot be combined with --stride or --forward"},
     [](auto& o, auto&) { o.shape.order = Order::random; }},
    {{what, 0, "tlb-locality", "SIZE",
      "with --random, visit all lines of a block of SIZE (bytes without a unit) before the next block, so that few "
      "pages are in use at a time"},
     [](auto& o, auto& a) { o.shape.tlb_locality_bytes = parse_size(a, 1); }},
    {{what, 0, "orders", "N",
      "with --random, take a new random order each lap, N of them before any repeats (1 to line size / 8); use 7 if a "
      "warning says that the processor learns laps",
      "1"},
     [](auto& o, auto& a) { o.shape.orders = parse_unsigned(a, 1, 512); }},
    {{what, 'i', "index", "", "link the chain by index instead of by pointer"},
     [](auto& o, auto&) { o.shape.link = Link::index; }},
    {{what, 0, "seed", "N", "seed of the random order", "1"},
     [](auto& o, auto& a) { o.shape.seed = parse_count(a, 0, any_count); }},

    {{where, 'c', "concurrent", "", "run two threads, same as --threads 2"}, [](auto& o, auto&) { o.threads = 2; }},
    {{where, 't', "threads", "N", "run N threads at the same time, each with its own memory and chain", "1"},
     [](auto& o, auto& a) { o.threads = parse_unsigned(a, 1, most_threads); }},
    {{where, 'p', "parallel", "K",
      "walk K independent chains side by side in each thread, 1 to 32; the latency is then the time divided by the "
      "accesses of all",
      "1"},
     [](auto& o, auto& a) { o.shape.parallel = parse_unsigned(a, 1, max_parallel); }},
    {{where, 0, "cpu", "LIST",
      "processors to run on, one per thread, such as 2 or 0,4 or 0-3, or the name of a kind of cores, such as E-core "
      "(default: the current one, then others of its kind, one per physical core first)"},
     set_processors},
    {{where, 0, "awake", "",
      "spin a thread on every other physical core, without touching memory; on some processors sleeping cores raise "
      "latency, on others awake ones do, so compare runs with and without"},
     [](auto& o, auto&) { o.awake = true; }},
    {{where, 0, "node", "LIST",
      "NUMA node of the memory, for all threads or one per thread, such as 1 or 0,1 (default: the node that the "
      "thread runs on)"},
     [](auto& o, auto& a) { o.nodes = parse_nodes(a); }},
    {{where, 0, "pages", "KIND",
      "default (the system's policy), 4k (base pages, no transparent huge pages), thp (transparent huge "
      "pages), 2m, 1g (reserved huge pages)",
      "default", all_words<PageKind>},
     [](auto& o, auto& a) { o.pages = parse_choice<PageKind>(a); }},
    {{where, 0, "memory", "FILE",
      "use FILE, a file or DAX device, as memory, divided among the threads; its length limits the sizes (create it "
      "with truncate -s SIZE FILE); a file on a disk is measured in the page cache"},
     [](auto& o, auto& a) { o.memory_file = parse_file_name(a); }},
    {{where, 0, "overwrite", "", "with --memory, overwrite a device or a file that holds data"},
     [](auto& o, auto&) { o.overwrite = true; }},

    {{how, 0, "visits", "N",
      "measure each size N times, 1 to 1000, each time at a different moment and place in memory; with a "
      "precision, at most N times (default: 16 with a precision, else 4)"},
     [](auto& o, auto& a) { o.timing.visits = parse_unsigned(a, 1, 1000); }},
    {{how, 0, "warmup", "N",
      "untimed laps before timing, 0 to 1000; with 0 the first access is timed (default: until the caches are in "
      "steady state)"},
     [](auto& o, auto& a) { o.warmup_laps = parse_unsigned(a, 0, 1000); }},
    {{how, 0, "max-time", "S",
      "visit nothing again after S seconds: on a busy machine a run measures less, not longer (default: as a terminal "
      "shows; none without a precision)"},
     [](auto& o, auto& a) { o.most_seconds = parse_above_0(a, longest_seconds, "seconds"); }},
    {{how, 0, "batches", "N",
      "split --accesses into N timed batches, 1 to 10000; requires --accesses without --precision (default: 32)"},
     [](auto& o, auto& a) { o.timing.batches = parse_unsigned(a, 1, most_batches); }},
    {{how, 0, "estimate", "E", "statistic over the batches in the latency column: min, median or mean", "min",
      all_words<Estimate>},
     [](auto& o, auto& a) { o.timing.estimate = parse_choice<Estimate>(a); }},
    {{how, 0, "precision", "PCT",
      "visit each size until its visits agree to PCT percent; --accesses is then an upper limit (default: 2; none "
      "if --accesses is given)"},
     [](auto& o, auto& a) { o.timing.precision_percent = parse_percent(a, 50); }},

    {{printed, 0, "stats", "",
      "append columns: min, median, mean, spread within a visit, disagreement between visits, visits, batches, notes, "
      "size in bytes, low and high of a contested size"},
     [](auto& o, auto&) { o.columns.push_back(ColumnGroup::stats); }},
    {{printed, 0, "cycles", "", "append a column: latency in core cycles"},
     [](auto& o, auto&) { o.columns.push_back(ColumnGroup::cycles); }},
    {{printed, 0, "counters", "LIST",
      "append a column for each hardware counter, its events per access in the timed part: cycles, "
      "instructions, l1d-misses, llc-misses, dtlb-misses, page-faults, context-switches, or all",
      "", counter_words},
     [](auto& o, auto& a) { o.counters = parse_counters(a); }},
    {{printed, 0, "levels", "", "show the inferred cache levels, as # lines after the rows"},
     [](auto& o, auto&) { o.levels = true; }},
    {{printed, 0, "format", "F", "csv, json or table (aligned, with sizes such as 64 KiB)", "csv", all_words<Format>},
     [](auto& o, auto& a) { o.format = parse_choice<Format>(a); }},
    {{printed, 'o', "output", "FILE", "write the result to FILE instead of standard output"},
     [](auto& o, auto& a) { o.output = parse_file_name(a); }},
    {{printed, 'q', "quiet", "", "print no # lines, progress or warnings"}, [](auto& o, auto&) { o.quiet = true; }},
    {{printed, 'V', "version", "", "print the version and exit"}, [](auto&, auto&) {}},
});

/// Two options that contradict each other.
struct Conflict {
    std::string_view first;
    std::string_view second;
    std::string_view reason;
};

constexpr std::string_view nothing_measured = ", which measures nothing";
constexpr std::string_view nothing_printed = ": it prints nothing";

constexpr std::array conflicts{
    Conflict{"forward", "random", ""},
    Conflict{"stride", "random", ": a random order has no stride"},
    Conflict{"concurrent", "threads", ": it means --threads 2"},
    Conflict{"pages", "memory", ": the file has pages of its own"},
    Conflict{"node", "memory", ": the file determines the node"},
    Conflict{"only", "without", ""},
    Conflict{"only", "from", nothing_measured},
    Conflict{"without", "from", nothing_measured},
    Conflict{"max-size", "from", nothing_measured},
    Conflict{"cpu", "from", nothing_measured},
    Conflict{"max-time", "from", nothing_measured},
    Conflict{"status", "format", nothing_printed},
    Conflict{"status", "all", nothing_printed},
    Conflict{"output", "terminal", ""},
};

/// An option, and one that it requires in each command that has both.
using Requirement = std::pair<std::string_view, std::string_view>;

constexpr std::array requirements{Requirement{"overwrite", "memory"}, Requirement{"tlb-locality", "random"},
                                  Requirement{"load-cpu", "load"},    Requirement{"writes", "load"},
                                  Requirement{"tries", "measure"},    Requirement{"output", "measure"}};

/// "--stride 512", "--forward".
std::string as_given(const GivenOption& option) {
    return fmt::format("--{}{}{}", option.name, option.value.empty() ? "" : " ", option.value);
}

void check_shape(const ChainShape& shape, const CommandLine& line) {
    if (shape.order != Order::random && shape.stride_bytes % shape.line_bytes != 0)
        throw usage_error(line.given("stride") != nullptr
                              ? fmt::format("--stride {}: expected a multiple of the line size, {}", shape.stride_bytes,
                                            shape.line_bytes)
                              : fmt::format("--line-size {}: the default --stride, {}, is no multiple of it; give both",
                                            shape.line_bytes, shape.stride_bytes));
    if (shape.orders > 1 && shape.order != Order::random)
        throw usage_error(fmt::format("--orders {} requires --random", shape.orders));
    if (shape.orders > 1 && shape.orders > most_orders(shape.line_bytes))
        throw usage_error(fmt::format("--orders {}: expected at most {}, the words in a line of {} bytes", shape.orders,
                                      most_orders(shape.line_bytes), shape.line_bytes));
}

/// "the stride of 512 bytes", "3 lines of 64 bytes".
std::string describe_smallest(const ChainShape& shape) {
    const bool is_random = shape.order == Order::random;
    const std::string_view thing = is_random ? "line" : "stride";
    return fmt::format("{} of {} bytes",
                       shape.parallel == 1 ? fmt::format("the {}", thing)
                                           : fmt::format("{} {}s", shape.parallel, thing),
                       is_random ? shape.line_bytes : shape.stride_bytes);
}

/// Advice for a size without a unit, which is easily taken for one in MiB.
std::string advice_on_unit(std::string_view given) {
    if (given.find_first_not_of("0123456789.") != std::string_view::npos)
        return "";
    return fmt::format("; a number without a unit is in bytes here and in MiB for --max-size: {0} MiB is {0}M", given);
}

void check_sizes(const Options& options, const CommandLine& line) {
    const ChainShape& shape = options.shape;
    const std::size_t smallest = smallest_working_set(shape);
    const std::size_t largest = options.max_bytes.value_or(default_max_bytes);
    const std::size_t first = first_size_of(options);
    const std::string max_size = options.max_bytes ? fmt::format("--max-size {}", human_size(largest))
                                                   : fmt::format("the default --max-size, {},", human_size(largest));
    if (largest < smallest)
        throw usage_error(fmt::format("{} is smaller than {}", max_size, describe_smallest(shape)));
    if (options.min_bytes && *options.min_bytes < smallest)
        throw usage_error(fmt::format("--min-size {} is smaller than {}; the minimum is {}{}", *options.min_bytes,
                                      describe_smallest(shape), smallest,
                                      advice_on_unit(line.given("min-size")->value)));
    if (largest < first)
        throw usage_error(
            fmt::format("{} is smaller than the smallest size, {}; give a larger --max-size or a smaller --min-size",
                        max_size, human_size(first)));
    // One line for each chain does not overflow here.
    const std::size_t smallest_block = shape.line_bytes * shape.parallel;
    if (shape.tlb_locality_bytes && *shape.tlb_locality_bytes % smallest_block != 0)
        throw usage_error(fmt::format("--tlb-locality {}: expected a multiple of {} bytes, one line for each chain",
                                      *shape.tlb_locality_bytes, smallest_block));
}

void check_threads(const Options& options) {
    if (options.cpus && options.cpus->size() != options.threads)
        throw usage_error(fmt::format("--cpu {} names {} for {}; name one processor per thread (--threads)",
                                      format_ids(*options.cpus), counted(options.cpus->size(), "processor"),
                                      counted(options.threads, "thread")));
    if (options.nodes && options.nodes->size() != 1 && options.nodes->size() != options.threads)
        throw usage_error(fmt::format("--node {} names {} nodes for {}; name one node for all threads or one per "
                                      "thread (--threads)",
                                      format_ids(*options.nodes), options.nodes->size(),
                                      counted(options.threads, "thread")));
}

void check_visits(const TimingPlan& timing, const CommandLine& line) {
    if (timing.precision_percent && line.given("batches") != nullptr)
        throw usage_error(fmt::format("--batches {} requires a fixed number of accesses: give --accesses without "
                                      "--precision",
                                      timing.batches));
    if (timing.precision_percent && timing.visits < fewest_visits(timing.estimate))
        throw usage_error(fmt::format("--visits {}: a precision of {:g} % of the {} takes at least {}; give more, or "
                                      "--accesses without --precision",
                                      timing.visits, *timing.precision_percent, word_of(timing.estimate),
                                      fewest_visits(timing.estimate)));
}

} // namespace

std::string parse_file_name(const GivenOption& argument) {
    if (argument.value.empty())
        throw refused(argument, "a file name");
    return argument.value;
}

std::span<const MeasuringOption> sweep_options() {
    return sweep_table;
}

MeasuringOption shared_option(std::string_view name) {
    MeasuringOption option = *std::ranges::find(sweep_table, name, &MeasuringOption::name);
    option.group = "Options";
    return option;
}

MeasuringOption shared_option(std::string_view name, std::string_view help, std::string_view preset) {
    MeasuringOption option = shared_option(name);
    option.help = help;
    option.preset = preset;
    return option;
}

MeasuringOption one_processor_option() {
    MeasuringOption option = shared_option(
        "cpu", "processor to measure: a number, or the name of a kind of cores (default: the current one)");
    option.argument = "N";
    option.set = [](auto& o, auto& a) {
        set_processors(o, a);
        if (o.cpus && o.cpus->size() != 1)
            throw refused(a, "one processor, or the name of a kind of cores");
    };
    return option;
}

std::size_t smallest_size_of(const Options& options) {
    constexpr std::size_t classic = 512;
    return options.min_bytes.value_or(std::max(classic, smallest_working_set(options.shape)));
}

std::size_t first_size_of(const Options& options) {
    return rounded_up(smallest_size_of(options), options.shape.line_bytes);
}

MeasuringOption time_option(std::string_view usual) {
    return shared_option("max-time", "visit nothing again after S seconds, and measure less on a busy machine", usual);
}

void check_combinations(const CommandLine& line, const std::vector<OptionText>& table) {
    for (const Conflict& conflict : conflicts) {
        const GivenOption* first = line.given(conflict.first);
        const GivenOption* second = line.given(conflict.second);
        if (first != nullptr && second != nullptr)
            throw usage_error(
                fmt::format("{} cannot be combined with {}{}", as_given(*first), as_given(*second), conflict.reason));
    }
    for (const auto& [name, required] : requirements) {
        const GivenOption* given = line.given(name);
        const bool is_known = std::ranges::count(table, required, &OptionText::name) > 0;
        if (given != nullptr && is_known && line.given(required) == nullptr)
            throw usage_error(fmt::format("{} requires --{}", as_given(*given), required));
    }
}

Options options_of_sweep(const CommandLine& line) {
    Options options = with_options(Options(), sweep_table, line);
    if (line.given("accesses") != nullptr && line.given("precision") == nullptr) // their number is exact
        options.timing.precision_percent.reset();
    if (!options.timing.precision_percent && line.given("visits") == nullptr)
        options.timing.visits = 4;
    check_shape(options.shape, line);
    check_threads(options);
    check_sizes(options, line);
    check_visits(options.timing, line);
    if (options.levels && options.quiet && options.format != Format::json)
        throw usage_error("--levels cannot be combined with --quiet, which leaves out # lines, unless with --format "
                          "json");
    return options;
}

} // namespace memtest
