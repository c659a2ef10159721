#include "memtest/cli/probe/options.hpp"

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
    if (shape.order != Order::random && shape.stride_bytes % shape.line_bytes != 0)
        throw usage_error(
            fmt::format("--stride {}: give a multiple of the line size, {}", shape.stride_bytes, shape.line_bytes));
    const std::size_t smallest_block = shape.line_bytes * shape.parallel;
    if (options.tlb_locality_bytes && *options.tlb_locality_bytes % smallest_block != 0)
        throw usage_error(fmt::format("--tlb-locality {}: give a multiple of one line for each chain, {} bytes",
                                      *options.tlb_locality_bytes, smallest_block));
}

void check_sizes(const ProbeOptions& options) {
    const ChainShape shape = shape_of(options);
    const std::size_t smallest = smallest_working_set(shape);
    const std::string reason =
        shape.order == Order::random
            ? fmt::format("{} lines of {} bytes", shape.parallel, shape.line_bytes)
            : fmt::format("{} of {} bytes",
                          shape.parallel == 1 ? "the stride" : fmt::format("{} strides", shape.parallel),
                          shape.stride_bytes);
    if (options.min_bytes && *options.min_bytes < smallest)
        throw usage_error(
            fmt::format("--min-size {}: smaller than {}; give at least {}", *options.min_bytes, reason, smallest));
    if (options.max_bytes && *options.max_bytes < smallest)
        throw usage_error(
            fmt::format("--max-size {}: smaller than {}; give at least that", human_size(*options.max_bytes), reason));
    const std::size_t most = options.max_bytes.value_or(default_max_bytes);
    const std::size_t least = (smallest_size_of(options) + shape.line_bytes - 1) / shape.line_bytes * shape.line_bytes;
    if (most < least && !options.max_bytes)
        throw usage_error(fmt::format("--min-size {} is larger than the largest size, {} unless given; give a larger "
                                      "--max-size too",
                                      human_size(least), human_size(most)));
    if (most < least)
        throw usage_error(fmt::format("--max-size {} is smaller than the smallest size, {}; give a larger one, or a "
                                      "smaller --min-size",
                                      human_size(most), human_size(least)));
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

void check_options(const ProbeOptions& options) {
    check_order(options);
    check_lines(options);
    check_threads(options);
    check_sizes(options);
    check_timing(options);
    check_printing(options);
}

} // namespace memtest
