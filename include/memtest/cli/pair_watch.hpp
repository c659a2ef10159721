#pragma once

#include "memtest/insight/core_groups.hpp"
#include "memtest/machine/system_files.hpp"
#include "memtest/measure/core_to_core.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace memtest {

/// Some pairs of these processors, spread over them: all of four.
[[nodiscard]] std::vector<TransferPlan> pairs_to_watch(const std::vector<int>& processors);

/// Measures pairs of processors before and after a run, to tell whether a hypervisor moves them.
class PairWatch {
public:
    /// The core-to-core latency of a pair now; std::nullopt if it is not known.
    using Time = std::function<std::optional<double>(const TransferPlan& pair)>;

    PairWatch(const std::vector<TransferPlan>& pairs, Time time);

    /// Measures all pairs at two moments a tenth of a second apart, in some 20 ms each for four processors; a pair that
    /// changed, again at once. Measures those of a slow machine for which a quarter of a second is enough.
    void look();

    [[nodiscard]] std::vector<std::pair<int, int>> moved() const { return moved_pairs(seen_); }
    [[nodiscard]] std::size_t pairs() const noexcept { return seen_.size(); }

private:
    std::vector<PairMoments> seen_;
    Time time_;
};

/// Measures a pair on this machine; std::nullopt if it cannot.
[[nodiscard]] std::optional<double> quick_transfer_ns(const TransferPlan& pair, const SystemFiles& files,
                                                      const std::atomic<bool>& interrupted);

} // namespace memtest
