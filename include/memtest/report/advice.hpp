#pragma once

#include "memtest/insight/curve.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/quick_checks.hpp"
#include "memtest/measure/run_plan.hpp"
#include "memtest/report/run_description.hpp"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The sentences that there are.
[[nodiscard]] std::vector<std::string> advice_of(std::initializer_list<std::optional<std::string>> all);

// Why a result as a whole is to be read with care.

/// Says that others use the processors. Else nothing.
[[nodiscard]] std::optional<std::string> advice_on_busy_machine(const SystemFiles& files);

/// Says that others used a good part of the processors while something was measured. Else nothing.
[[nodiscard]] std::optional<std::string> advice_on_use_by_others(double percent);

/// Says that a fifth or more of what was measured did not settle. Else nothing. @param things sizes or rows
[[nodiscard]] std::optional<std::string> advice_on_unsettled(std::size_t count, std::size_t of,
                                                             std::string_view things);

/// Whether a warning says that others used the machine, before the run or meanwhile.
[[nodiscard]] bool is_on_others(std::string_view warning);

/// Whether a warning is one of these.
[[nodiscard]] bool is_on_whole_result(std::string_view warning);

/// Says that the last cache of these processors serves a part of the accesses. Else nothing. @param option that asks
/// for the memory
[[nodiscard]] std::optional<std::string>
advice_on_little_memory(std::size_t bytes, const std::vector<Processor>& processors, std::string_view option);

/// Whether a warning is that one.
[[nodiscard]] bool is_on_little_memory(std::string_view warning);

/// What makes the results of this run hard to repeat or to read, each with what to do about it.
[[nodiscard]] std::vector<std::string> advice_before(const RunPlan& plan, const Machine& machine);

/// Says that the file that was the memory is on a disk. Else nothing.
[[nodiscard]] std::optional<std::string> advice_on_memory_file(const RunDescription& run);

/// Says that the processor learns random laps by heart, so that small sizes show a prefetcher. Else nothing.
[[nodiscard]] std::optional<std::string> advice_on_learned_laps(const LapTimes& laps);

/// Says that a stride sweep shows the prefetcher: its last row is far below a random order at the same size. Else
/// nothing.
[[nodiscard]] std::optional<std::string> advice_on_prefetching(Order order, double last_row_ns, double random_ns);

/// Says that the core's clock moved during the run by more than its readings scatter. Else nothing.
[[nodiscard]] std::optional<std::string> advice_on_moving_clock(const ClockRange& range);

/// Says that something disturbed a sweep, whatever its visits say: a size towers over its neighbours, or in random
/// order took clearly longer than a larger one, although more of its accesses hit the caches. Else nothing.
[[nodiscard]] std::optional<std::string> advice_on_disturbance(Curve sweep, Order order);

} // namespace memtest
