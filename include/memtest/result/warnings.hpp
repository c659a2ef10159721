#pragma once

#include "memtest/insight/curve.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/measure/quick_checks.hpp"
#include "memtest/measure/row.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/result/notice.hpp"
#include "memtest/result/run_description.hpp"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {

/// Those notices that have a value.
[[nodiscard]] std::vector<Notice> those_of(std::initializer_list<std::optional<Notice>> all);

// Each of these warns if something makes a result hard to repeat or to read, and returns std::nullopt if nothing does.

/// Other processes use the CPUs.
[[nodiscard]] std::optional<Notice> warning_on_busy_machine(const SystemFiles& files);

/// The control group's quota of processor time is less than the threads need.
[[nodiscard]] std::optional<Notice> warning_on_quota(std::size_t threads, const SystemFiles& files);

/// The kernel stopped the control group during the measurement. @param periods in which it did
[[nodiscard]] std::optional<Notice> warning_on_throttling(std::uint64_t periods);

/// This machine has several kinds of cores. @param measured processors @param load those of load threads
[[nodiscard]] std::optional<Notice> warning_on_kinds(const std::vector<int>& measured, const std::vector<int>& load,
                                                     const Machine& machine);

/// Other processes used a good part of the CPUs during the measurement.
[[nodiscard]] std::optional<Notice> warning_on_use_by_others(double percent);

/// A fifth or more of what was measured did not settle. @param things sizes or rows
[[nodiscard]] std::optional<Notice> warning_on_unsettled(std::size_t count, std::size_t of, std::string_view things);

/// The last-level cache of these processors serves some of the accesses. @param option that sets the memory
[[nodiscard]] std::optional<Notice>
warning_on_little_memory(std::size_t bytes, const std::vector<Processor>& processors, std::string_view option);

/// What makes a run with this plan hard to repeat.
[[nodiscard]] std::vector<Notice> warnings_before(const RunPlan& plan, const Machine& machine);

/// The file used as memory is on a disk.
[[nodiscard]] std::optional<Notice> warning_on_memory_file(const RunDescription& run);

/// The processor foresees random chains of this shape, so that sizes that are walked many times show a prefetcher.
[[nodiscard]] std::vector<Notice> warnings_on_foreseen(const ForeseenChains& foreseen, const ChainShape& shape);

/// A strided sweep shows the prefetcher.
[[nodiscard]] Notice warning_on_prefetching(Order order, const FollowedStride& followed);

/// Some sizes are contested: those that caches of one processor serve, or shared ones, and those beyond. @param rows of
/// all threads @param may_move whether a host may have moved the only thread @param caches that the system reports
[[nodiscard]] std::vector<Notice> warnings_on_contested(std::span<const Row> rows, bool may_move = false,
                                                        const std::vector<ReportedCache>& caches = {});

/// The hypervisor moved processors during the run. @param pairs that were watched
[[nodiscard]] std::optional<Notice> warning_on_moved_processors(const std::vector<std::pair<int, int>>& moved,
                                                                std::size_t pairs);

/// The core's clock moved during the run by more than its readings scatter.
[[nodiscard]] std::optional<Notice> warning_on_moving_clock(const ClockRange& range);

/// The clock of a memory controller moved during the run. @param readings before, at each row, and after; of the same
/// controllers
[[nodiscard]] std::optional<Notice> warning_on_memory_clocks(std::span<const std::vector<ScaledClock>> readings);

/// Something disturbed a sweep, whatever its visits say: a size is far slower than its neighbours, or in random order
/// clearly slower than a larger one, although more of its accesses hit the caches.
[[nodiscard]] std::optional<Notice> warning_on_disturbance(Curve sweep, Order order);

} // namespace memtest
