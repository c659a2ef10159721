#pragma once

#include "memtest/base/error.hpp"
#include "memtest/measure/load_batch.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace memtest {

/// Bandwidths in lines per ns, ascending. @param known the pairs of all settings so far
using WantedLoads = std::function<std::vector<double>(std::span<const LoadPair> known)>;

/// The batches of a visit with the load threads at a pause; empty if interrupted.
using VisitLoaded = std::function<std::vector<LoadBatch>(std::size_t pause)>;

/// That no batch or sample under load counts.
[[nodiscard]] MachineBusy busy_under_load();

/// Pauses of the load threads, chosen from what was measured with others. Bandwidth and latency always come from the
/// same batches, so a machine that changes moves points along its curve and loses none.
class LoadSettings {
public:
    /// Settings that it takes to find the pauses that slow the load threads down.
    static constexpr std::size_t spare = 16;

    /// @param slack how far a setting may be from the wanted bandwidth, as a share of the distance to the next lower
    /// one
    LoadSettings(WantedLoads want, VisitLoaded visit, double slack)
        : want_(std::move(want)), visit_(std::move(visit)), slack_(slack) {}

    /// Visits without a pause until a batch counts. @return whether it was not interrupted, like the next two
    /// @param load_processors those of the load threads, for messages @throws MachineBusy if none of some visits counts
    bool start(const std::vector<int>& load_processors);

    /// Visits new pauses, each between the two that come nearest, until the wanted bandwidths have a setting each, or
    /// none comes nearer. @param most new ones, which bounds the time on a machine that keeps changing
    bool fill_gaps(std::size_t most);

    bool visit(LoadSetting& setting);

    /// For each wanted bandwidth the nearest setting that is left; fewer if there are not as many.
    [[nodiscard]] std::vector<LoadSetting*> chosen();

    [[nodiscard]] std::size_t visits() const noexcept { return visits_; }

private:
    struct Choice {
        double wanted = 0;
        double miss = std::numeric_limits<double>::infinity(); ///< in slacks
        LoadSetting* setting = nullptr;
    };

    /// A setting with its pair, if that is known.
    struct Known {
        LoadSetting* setting = nullptr;
        LoadPair pair{};
    };

    [[nodiscard]] std::vector<Known> known();
    [[nodiscard]] std::vector<Choice> choices(const std::vector<Known>& known) const;
    [[nodiscard]] std::vector<std::size_t> pauses_for(double wanted, const std::vector<Known>& known) const;
    [[nodiscard]] std::optional<std::size_t> next_pause();

    WantedLoads want_;
    VisitLoaded visit_;
    double slack_;
    std::deque<LoadSetting> settings_;
    std::size_t visits_ = 0;
};

} // namespace memtest
