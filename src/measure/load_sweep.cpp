#include "memtest/measure/load_sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/measure/load_settings.hpp"
#include "memtest/measure/rounds.hpp"
#include "memtest/measure/walker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

constexpr unsigned batches_in_visit = 16;
constexpr double batch_ns = 1e6; // long compared with a look at the load threads, short compared with disturbances
constexpr unsigned parts_of_batch = 4; // after each of which all load threads must make progress

/// Walks its chain in batches, and looks at the load threads in each.
class LoadedWalker : public Walker {
public:
    LoadedWalker(const TeamPlan& plan, const Placement& placement, const SystemFiles& files,
                 const std::atomic<bool>& interrupted, const LoadBoard& board, std::vector<LoadBatch>& batches)
        : Walker(plan, placement, files, interrupted), interrupted_(interrupted), board_(board), batches_(batches) {}

    [[nodiscard]] std::uint64_t prepare(const VisitPlan& visit) override {
        shortest_batch_ = Walker::prepare(visit);
        return shortest_batch_;
    }

    void measure(const TimingPlan& /*timing*/, Measurement& measurement) override {
        // Published at the end: the load threads read what lies beside it during the visit.
        std::vector<LoadBatch> batches;
        walk_batch(shortest_batch_, measurement);
        const std::uint64_t accesses = accesses_in_part(measurement);
        const auto absent_now = [&] {
            return absent_threads(board_, clock_, [&](std::size_t accesses) { return chains()->walk(accesses); });
        };
        std::vector<std::size_t> absent = chains() == nullptr ? std::vector<std::size_t>{} : absent_now();
        while (batches.size() < batches_in_visit && !interrupted_) {
            LoadBatch batch{.absent = absent};
            const LoadLook before = look_at(board_, clock_);
            for (unsigned part = 0; part < parts_of_batch; ++part) {
                walk_batch(accesses, measurement);
                if (measurement.timing.batch_ns.empty()) // interrupted
                    return;
                add_part(batch, measurement, parts_of_batch);
                if (!batch.absent.empty() && part + 1 < parts_of_batch)
                    continue;
                absent = absent_now();
                batch.absent.insert(batch.absent.end(), absent.begin(), absent.end());
            }
            batch.lines_per_ns = lines_per_ns(before, look_at(board_, clock_));
            batches.push_back(std::move(batch));
        }
        batches_ = std::move(batches);
    }

private:
    void walk_batch(std::uint64_t accesses, Measurement& measurement) {
        Walker::measure({.accesses = accesses, .batches = 1}, measurement);
    }

    [[nodiscard]] std::uint64_t accesses_in_part(const Measurement& pilot) const {
        if (pilot.timing.batch_ns.empty())
            return shortest_batch_;
        const double fitting = std::ceil(batch_ns / parts_of_batch / pilot.timing.batch_ns.front());
        return std::max(shortest_batch_, static_cast<std::uint64_t>(fitting));
    }

    const std::atomic<bool>& interrupted_;
    const LoadBoard& board_;
    std::vector<LoadBatch>& batches_;
    MonotonicClock clock_;
    std::uint64_t shortest_batch_ = 1;
};

/// Whether a setting needs no further visit: its visits agree, it has all of them, or no batch of several counts.
bool is_known(const LoadSetting& setting, const TimingPlan& timing) {
    constexpr std::size_t several = 8;
    return setting.visits.size() >= timing.visits || (setting.visits.size() >= several && !pair_of(setting)) ||
           load_visits_agree(setting, timing);
}

} // namespace

void run_load_sweep(const LoadSweep& sweep, LoadProbe& probe, const LoadRowSink& row_sink,
                    const PhraseSink& phrase_sink, const TimeIsUp& time_is_up) {
    require(sweep.steps > 0 && sweep.timing.visits > 0, "a sweep visits a step of load or more");
    unsigned round = 0;            // each has its own order, so this counts all of them
    std::optional<double> idle_ns; // with the load threads awake, if that is known
    /// @return whether it was not interrupted
    const auto measure_idle = [&](std::vector<LoadSetting> settings, std::string_view what) {
        const unsigned first_round = round;
        return visit_in_rounds(
            settings.size(),
            [&](std::size_t place, unsigned its_round, std::size_t done) -> std::optional<bool> {
                phrase_sink(
                    fmt::format("{}: {} of {} rows known, round {}", what, done, settings.size(), its_round + 1));
                round = first_round + its_round + 1;
                auto batches = probe.visit(settings[place].pause, first_round + its_round);
                if (batches.empty())
                    return std::nullopt;
                settings[place].visits.push_back(std::move(batches));
                return is_known(settings[place], sweep.timing);
            },
            [&](std::size_t place) {
                const LoadRow row = join_load_visits(settings[place], sweep.timing, sweep.pattern);
                idle_ns = row.latency_ns ? row.latency_ns : idle_ns;
                row_sink(row);
            });
    };
    constexpr double slack = 0.25; // so that two neighbours are at most 2.2 twelfths of the peak apart
    LoadSettings settings([&](std::span<const LoadPair> known) { return sweep.want(sweep.steps, known, idle_ns); },
                          [&](std::size_t pause) { return probe.visit(pause, round); }, slack);
    /// The highest of many bandwidths may be that of an odd moment: visits it until the highest has two visits that
    /// count. @return whether it was not interrupted
    const auto confirm_peak = [&] {
        const auto bytes_per_ns = [&](const LoadSetting* setting) {
            return join_load_visits(*setting, sweep.timing, sweep.pattern).bytes_per_ns;
        };
        const auto counting = [](const std::vector<LoadBatch>& visit) { return std::ranges::any_of(visit, counts); };
        phrase_sink("under load: confirming the peak");
        while (true) {
            const std::vector<LoadSetting*> chosen = settings.chosen();
            LoadSetting& peak = **std::ranges::max_element(chosen, {}, bytes_per_ns);
            if (std::ranges::count_if(peak.visits, counting) >= 2 || peak.visits.size() >= sweep.timing.visits)
                return true;
            if (!settings.visit(peak))
                return false;
        }
    };
    /// @return whether it was not interrupted
    const auto measure_under_load = [&] {
        phrase_sink("under load: finding the peak");
        bool is_whole = settings.start(sweep.load_processors) && settings.fill_gaps(sweep.steps + LoadSettings::spare);
        while (is_whole && settings.fill_gaps(sweep.steps / 2)) {
            std::vector<LoadSetting*> chosen = settings.chosen();
            std::erase_if(chosen, [&](const LoadSetting* setting) { return is_known(*setting, sweep.timing); });
            if (chosen.empty() || settings.visits() >= sweep.steps * sweep.timing.visits ||
                (time_is_up && time_is_up(chosen.size())))
                return confirm_peak();
            phrase_sink(fmt::format("under load: {} of {} rows not settled, {} visits", chosen.size(), sweep.steps,
                                    settings.visits()));
            ++round;
            is_whole = std::ranges::all_of(chosen, [&](LoadSetting* setting) { return settings.visit(*setting); });
        }
        return false;
    };
    const auto give_under_load = [&] {
        std::vector<LoadRow> rows;
        for (const LoadSetting* setting : settings.chosen())
            rows.push_back(join_load_visits(*setting, sweep.timing, sweep.pattern));
        std::ranges::sort(rows, {}, &LoadRow::bytes_per_ns);
        for (LoadRow& row : rows) {
            row.load_percent = 100 * (*row.bytes_per_ns / *rows.back().bytes_per_ns); // exactly 100 for the peak
            row_sink(row);
        }
    };

    if (!measure_idle({LoadSetting{}, LoadSetting{.pause = endless_pause}}, "idle"))
        return;
    bool is_whole = false;
    try {
        is_whole = measure_under_load();
    } catch (...) {
        give_under_load();
        throw;
    }
    give_under_load();
    ++round;
    if (is_whole)
        measure_idle({LoadSetting{}}, "idle again");
}

LoadTeam::LoadTeam(const TeamPlan& plan, const LoadPattern& pattern, const SystemFiles& files,
                   const std::atomic<bool>& interrupted)
    : chain_bytes_(plan.largest_bytes),
      team_(plan, pattern, files, interrupted,
            [plan, files, &interrupted, this](const Placement& placement, const LoadBoard& board) {
                return std::make_unique<LoadedWalker>(plan, placement, files, interrupted, board, batches_);
            }) {}

std::vector<LoadBatch> LoadTeam::visit(std::optional<std::size_t> pause, unsigned round) {
    const bool is_whole = team_.visit(pause, {.bytes = chain_bytes_, .round = round});
    return is_whole ? std::exchange(batches_, {}) : std::vector<LoadBatch>{};
}

} // namespace memtest
