#include "memtest/measure/load_sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/measure/calibration.hpp"
#include "memtest/measure/rounds.hpp"

#include <fmt/format.h>

#include <utility>

namespace memtest {
namespace {

/// Steps of load that are visited together.
class VisitedSteps : public Visited {
public:
    /// @param what they are, for people @param next_round behind all rounds so far; goes on
    VisitedSteps(const std::vector<LoadStep>& steps, std::string_view what, const LoadSweep& sweep, LoadProbe& probe,
                 const LoadRowSink& row_sink, const PhraseSink& phrase_sink, unsigned& next_round)
        : what_(what), sweep_(sweep), probe_(probe), row_sink_(row_sink), phrase_sink_(phrase_sink),
          first_round_(next_round), next_round_(next_round) {
        for (const LoadStep& step : steps)
            steps_.push_back({.load = step});
    }

    [[nodiscard]] std::size_t count() const override { return steps_.size(); }

    [[nodiscard]] bool is_done(std::size_t place) const override { return steps_[place].is_done; }

    [[nodiscard]] bool visit(std::size_t place, unsigned round, std::size_t done) override {
        phrase_sink_(fmt::format("{}: {} of {} rows known, round {}", what_, done, steps_.size(), round + 1));
        Step& step = steps_[place];
        next_round_ = first_round_ + round + 1;
        auto batches = probe_.visit(step.load.pause, first_round_ + round);
        if (batches.empty())
            return false;
        step.visits.push_back(std::move(batches));
        step.is_done =
            step.visits.size() >= sweep_.timing.visits || load_visits_agree(step.load, step.visits, sweep_.timing);
        return true;
    }

    void give(std::size_t place) override {
        row_sink_(join_load_visits(steps_[place].load, steps_[place].visits, sweep_.timing, sweep_.pattern));
    }

private:
    struct Step {
        LoadStep load;
        std::vector<std::vector<LoadBatch>> visits{};
        bool is_done = false;
    };

    std::string_view what_;
    const LoadSweep& sweep_;
    LoadProbe& probe_;
    const LoadRowSink& row_sink_;
    const PhraseSink& phrase_sink_;
    unsigned first_round_;
    unsigned& next_round_;
    std::vector<Step> steps_;
};

/// A sweep under way.
class LoadRounds {
public:
    LoadRounds(const LoadSweep& sweep, LoadProbe& probe, const LoadRowSink& row_sink, const PhraseSink& phrase_sink)
        : sweep_(sweep), probe_(probe), row_sink_(row_sink), phrase_sink_(phrase_sink) {}

    void run() {
        if (!measure({LoadStep{}, LoadStep{.pause = endless_pause}}, "idle"))
            return;
        const auto visit = [this](std::size_t pause) {
            phrase_sink_("calibrating the loaders");
            return probe_.visit(pause, round_);
        };
        const std::vector<LoadStep> steps = calibrate(
            even_shares(sweep_.steps), [&](std::size_t pause) { return rates_in_visit(pause, visit, sweep_.loaders); });
        if (!steps.empty() && measure(steps, "under load"))
            static_cast<void>(measure({LoadStep{}}, "idle again"));
    }

private:
    /// @return whether it was not interrupted
    bool measure(const std::vector<LoadStep>& steps, std::string_view what) {
        VisitedSteps visited(steps, what, sweep_, probe_, row_sink_, phrase_sink_, round_);
        return visit_in_rounds(visited);
    }

    const LoadSweep& sweep_;
    LoadProbe& probe_;
    const LoadRowSink& row_sink_;
    const PhraseSink& phrase_sink_;
    unsigned round_ = 0; // of all visits: each has an order of its own
};

} // namespace

void run_load_sweep(const LoadSweep& sweep, LoadProbe& probe, const LoadRowSink& row_sink,
                    const PhraseSink& phrase_sink) {
    require(sweep.steps > 0 && sweep.timing.visits > 0, "a sweep visits a step of load or more");
    LoadRounds(sweep, probe, row_sink, phrase_sink).run();
}

} // namespace memtest
