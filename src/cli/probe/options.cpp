#include "memtest/cli/probe/options.hpp"

#include "memtest/base/capped.hpp"
#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memtest {
namespace {

void check_order(const ProbeOptions& options) {
    if (options.random && options.forward)
        throw usage_error("--forward does not go with --random; leave one of them out");
    if (options.random && options.stride_bytes)
        throw usage_error(fmt::format("--stride {} does not go with --random, which visits the lines in no fixed "
                                      "distance; leave one of them out",
                                      *options.stride_bytes));
    if (options.tlb_locality_bytes && !options.random)
        throw usage_error(fmt::format("--tlb-locality {} confines the random order; add --random",
                                      human_size(*options.tlb_locality_bytes)));
}

void check_lines(const ProbeOptions& options) {
    constexpr std::size_t word = 8;
    if (options.line_bytes < word || options.line_bytes % word != 0)
        throw usage_error(
            fmt::format("--line-size {}: a line must hold a pointer; give a multiple of {}", options.line_bytes, word));
    const ChainShape shape = shape_of(options);
    if (shape.order == Order::random || shape.stride_bytes % shape.line_bytes == 0)
        return;
    if (options.stride_bytes)
        throw usage_error(
            fmt::format("--stride {}: give a multiple of the line size, {}", shape.stride_bytes, shape.line_bytes));
    throw usage_error(fmt::format("--line-size {}: the stride must be a multiple of it and is {} unless given; give "
                                  "--stride too",
                                  shape.line_bytes, shape.stride_bytes));
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

void check_sizes(const ProbeOptions& options) {
    const ChainShape shape = shape_of(options);
    const std::size_t smallest = smallest_working_set(shape);
    const std::size_t largest = options.max_bytes.value_or(default_max_bytes);
    const std::size_t first = first_size_of(options);
    if (largest < smallest && options.max_bytes)
        throw usage_error(fmt::format("--max-size {}: smaller than {}; give at least that", human_size(largest),
                                      describe_smallest(shape)));
    if (largest < smallest)
        throw usage_error(fmt::format("--max-size is {} unless given, smaller than {}; give a larger one",
                                      human_size(largest), describe_smallest(shape)));
    if (options.min_bytes && *options.min_bytes < smallest)
        throw usage_error(fmt::format("--min-size {}: smaller than {}; give at least {}", *options.min_bytes,
                                      describe_smallest(shape), smallest));
    if (largest < first && options.max_bytes)
        throw usage_error(fmt::format("--max-size {} is smaller than the smallest size, {}; give a larger one, or a "
                                      "smaller --min-size",
                                      human_size(largest), human_size(first)));
    if (largest < first)
        throw usage_error(fmt::format("--min-size {} is larger than the largest size, {} unless given; give a larger "
                                      "--max-size too",
                                      human_size(first), human_size(largest)));
}

/// After check_sizes: what a line for each chain takes is known to fit a number.
void check_locality(const ProbeOptions& options) {
    const std::size_t smallest_block = options.line_bytes * options.parallel;
    if (options.tlb_locality_bytes && *options.tlb_locality_bytes % smallest_block != 0)
        throw usage_error(fmt::format("--tlb-locality {}: give a multiple of one line for each chain, {} bytes",
                                      *options.tlb_locality_bytes, smallest_block));
}

void check_printing(const ProbeOptions& options) {
    if (options.levels && options.quiet && options.format == Format::csv)
        throw usage_error(
            "--levels prints # lines, which --quiet leaves out; leave one of them out, or give --format json");
}

void check_threads(const ProbeOptions& options) {
    if (options.concurrent && options.threads)
        throw usage_error(fmt::format("--concurrent, which is two threads, does not go with --threads {}; leave one of "
                                      "them out",
                                      *options.threads));
    if (options.cpus && options.cpus->size() != threads_of(options))
        throw usage_error(fmt::format("--cpu names {} processors for {} threads; give one for each thread",
                                      options.cpus->size(), threads_of(options)));
    if (options.nodes && options.nodes->size() != 1 && options.nodes->size() != threads_of(options))
        throw usage_error(
            fmt::format("--node names {} nodes for --threads {}; give one for all threads or one for each",
                        options.nodes->size(), threads_of(options)));
}

void check_timing(const ProbeOptions& options) {
    const TimingPlan timing = timing_of(options);
    if (!timing.precision_percent)
        return;
    if (options.batches)
        throw usage_error(fmt::format("--batches {} splits accesses whose number is fixed; give --accesses, and no "
                                      "--precision",
                                      *options.batches));
    if (timing.visits < fewest_visits(timing.estimate))
        throw usage_error(fmt::format("--visits {}: to know a {} to {:g} % takes at least {} visits; give so many, or "
                                      "--accesses and no --precision",
                                      timing.visits, word_of(timing.estimate), *timing.precision_percent,
                                      fewest_visits(timing.estimate)));
}

} // namespace

ChainShape shape_of(const ProbeOptions& options) {
    const Order stride_order = options.forward ? Order::forward : Order::backward;
    return {.order = options.random ? Order::random : stride_order,
            .link = options.index ? Link::index : Link::pointer,
            .line_bytes = options.line_bytes,
            .stride_bytes = options.random ? options.line_bytes : options.stride_bytes.value_or(default_stride_bytes),
            .tlb_locality_bytes = options.tlb_locality_bytes,
            .parallel = options.parallel,
            .seed = options.seed};
}

TimingPlan timing_of(const ProbeOptions& options) {
    constexpr double default_precision_percent = 2;
    const TimingPlan defaults;
    TimingPlan timing{.accesses = options.accesses.value_or(any_number_of_accesses),
                      .batches = options.batches.value_or(defaults.batches),
                      .estimate = options.estimate,
                      .precision_percent = options.precision_percent};
    if (!options.accesses && !options.precision_percent)
        timing.precision_percent = default_precision_percent;
    timing.visits = options.visits.value_or(timing.precision_percent ? 16 : 4);
    return timing;
}

unsigned threads_of(const ProbeOptions& options) {
    return options.threads.value_or(options.concurrent ? 2 : 1);
}

std::size_t smallest_size_of(const ProbeOptions& options) {
    constexpr std::size_t classic = 512;
    return options.min_bytes.value_or(std::max(classic, smallest_working_set(shape_of(options))));
}

std::size_t first_size_of(const ProbeOptions& options) {
    return rounded_up(smallest_size_of(options), options.line_bytes);
}

void check_options(const ProbeOptions& options) {
    check_order(options);
    check_lines(options);
    check_threads(options);
    check_sizes(options);
    check_timing(options);
    check_locality(options);
    check_printing(options);
}

} // namespace memtest
