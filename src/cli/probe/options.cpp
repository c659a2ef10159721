#include "memtest/cli/probe/options.hpp"

#include "memtest/base/capped.hpp"
#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/measure/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memtest {
namespace {

void check_shape(const ChainShape& shape) {
    if (shape.order != Order::random && shape.stride_bytes % shape.line_bytes != 0)
        throw usage_error(
            fmt::format("--stride {}: give a multiple of the line size, {}", shape.stride_bytes, shape.line_bytes));
    if (shape.tlb_locality_bytes && shape.order != Order::random)
        throw usage_error(fmt::format("--tlb-locality {} confines the random order; add --random",
                                      human_size(*shape.tlb_locality_bytes)));
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
    const ChainShape& shape = options.shape;
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

/// Call it after check_sizes: then a line for each chain fits a number.
void check_locality(const ChainShape& shape) {
    const std::size_t smallest_block = shape.line_bytes * shape.parallel;
    if (shape.tlb_locality_bytes && *shape.tlb_locality_bytes % smallest_block != 0)
        throw usage_error(fmt::format("--tlb-locality {}: give a multiple of one line for each chain, {} bytes",
                                      *shape.tlb_locality_bytes, smallest_block));
}

void check_printing(const ProbeOptions& options) {
    if (options.levels && options.quiet && options.format == Format::csv)
        throw usage_error(
            "--levels prints # lines, which --quiet leaves out; leave one of them out, or give --format json");
}

void check_threads(const ProbeOptions& options) {
    if (options.cpus && options.cpus->size() != options.threads)
        throw usage_error(fmt::format("--cpu names {} processors for {} threads; give one for each thread",
                                      options.cpus->size(), options.threads));
    if (options.nodes && options.nodes->size() != 1 && options.nodes->size() != options.threads)
        throw usage_error(
            fmt::format("--node names {} nodes for --threads {}; give one for all threads or one for each",
                        options.nodes->size(), options.threads));
}

void check_visits(const TimingPlan& timing) {
    if (timing.precision_percent && timing.visits < fewest_visits(timing.estimate))
        throw usage_error(fmt::format("--visits {}: to know a {} to {:g} % takes at least {} visits; give so many, or "
                                      "--accesses and no --precision",
                                      timing.visits, word_of(timing.estimate), *timing.precision_percent,
                                      fewest_visits(timing.estimate)));
}

} // namespace

std::size_t smallest_size_of(const ProbeOptions& options) {
    constexpr std::size_t classic = 512;
    return options.min_bytes.value_or(std::max(classic, smallest_working_set(options.shape)));
}

std::size_t first_size_of(const ProbeOptions& options) {
    return rounded_up(smallest_size_of(options), options.shape.line_bytes);
}

void check_options(const ProbeOptions& options) {
    check_shape(options.shape);
    check_threads(options);
    check_sizes(options);
    check_locality(options.shape);
    check_visits(options.timing);
    check_printing(options);
}

} // namespace memtest
