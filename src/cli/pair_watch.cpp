#include "memtest/cli/pair_watch.hpp"

#include "memtest/base/error.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/insight/core_groups.hpp"
#include "memtest/machine/clock.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace memtest {

std::vector<TransferPlan> pairs_to_watch(const std::vector<int>& processors) {
    constexpr std::size_t most = 8; // of some 3 ms each
    std::vector<TransferPlan> pairs;
    for (std::size_t i = 0; i < processors.size(); ++i) {
        for (std::size_t j = i + 1; j < processors.size(); ++j)
            pairs.push_back({.reader = processors[i], .owner = processors[j]});
    }
    return spread(pairs, most);
}

PairWatch::PairWatch(const std::vector<TransferPlan>& pairs, Time time) : time_(std::move(time)) {
    for (const TransferPlan& pair : pairs)
        seen_.push_back({.reader = pair.reader, .owner = pair.owner});
}

void PairWatch::look() {
    constexpr std::uint64_t longest_moment_ns = 125'000'000;
    MonotonicClock clock;
    for (const bool is_first : {true, false}) {
        if (!is_first)
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        const std::uint64_t start_ns = clock.now_ns();
        for (std::size_t i = 0; i < seen_.size(); ++i) {
            const TransferPlan pair{.reader = seen_[i].reader, .owner = seen_[i].owner};
            std::vector<double>& seen_ns = seen_[i].latencies_ns;
            const auto before_ns = seen_ns.empty() ? std::nullopt : std::optional(seen_ns.back());
            const auto ns = time_(pair);
            if (ns)
                seen_ns.push_back(*ns);
            const bool differs = ns && before_ns && std::max(*ns, *before_ns) >= least_gap * std::min(*ns, *before_ns);
            if (const auto again_ns = differs ? time_(pair) : std::nullopt)
                seen_ns.push_back(*again_ns);
            if (clock.now_ns() - start_ns > longest_moment_ns)
                seen_.resize(i + 1);
        }
    }
}

std::optional<double> quick_transfer_ns(const TransferPlan& pair, const SystemFiles& files,
                                        const std::atomic<bool>& interrupted) {
    try {
        const auto found = measure_transfer(pair, 0, files, interrupted);
        return found && !found->lap_ns.empty() ? std::optional(transfer_ns(found->lap_ns)) : std::nullopt;
    } catch (const Error&) { // no memory or thread for a check that nobody requested
        return std::nullopt;
    }
}

} // namespace memtest
