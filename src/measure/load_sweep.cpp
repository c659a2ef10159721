#include "memtest/measure/load_sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/measure/calibration.hpp"
#include "memtest/measure/rounds.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {

void run_load_sweep(const LoadSweep& sweep, LoadProbe& probe, const LoadRowSink& row_sink,
                    const PhraseSink& phrase_sink) {
    require(sweep.steps > 0 && sweep.timing.visits > 0, "a sweep visits a step of load or more");
    unsigned next_round = 0; // behind all rounds so far: each visit has an order of its own
    /// @return whether it was not interrupted
    const auto measure = [&](const std::vector<LoadStep>& steps, std::string_view what) {
        const unsigned first_round = next_round;
        std::vector<std::vector<std::vector<LoadBatch>>> visits(steps.size());
        return visit_in_rounds(
            steps.size(),
            [&](std::size_t step, unsigned round, std::size_t done) -> std::optional<bool> {
                phrase_sink(fmt::format("{}: {} of {} rows known, round {}", what, done, steps.size(), round + 1));
                next_round = first_round + round + 1;
                auto batches = probe.visit(steps[step].pause, first_round + round);
                if (batches.empty())
                    return std::nullopt;
                visits[step].push_back(std::move(batches));
                return visits[step].size() >= sweep.timing.visits ||
                       load_visits_agree(steps[step], visits[step], sweep.timing);
            },
            [&](std::size_t step) {
                row_sink(join_load_visits(steps[step], visits[step], sweep.timing, sweep.pattern));
            });
    };
    const auto visit_at = [&](std::size_t pause) {
        phrase_sink("calibrating the loaders");
        return probe.visit(pause, next_round);
    };

    if (!measure({LoadStep{}, LoadStep{.pause = endless_pause}}, "idle"))
        return;
    const std::vector<LoadStep> steps = calibrate(even_shares(sweep.steps), visit_at, sweep.loaders);
    if (!steps.empty() && measure(steps, "under load"))
        static_cast<void>(measure({LoadStep{}}, "idle again"));
}

} // namespace memtest
