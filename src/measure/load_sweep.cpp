#include "memtest/measure/load_sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/measure/calibration.hpp"
#include "memtest/measure/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memtest {
namespace {

/// The rate of each loader in one visit: the upper quartile, since one that was taken off its processor is slower.
std::vector<double> rates_in(const std::vector<LoadBatch>& batches) {
    std::vector<double> rates;
    for (std::size_t loader = 0; loader < batches.front().lines_per_ns.size(); ++loader) {
        std::vector<double> of_loader;
        for (const LoadBatch& batch : batches)
            of_loader.push_back(batch.lines_per_ns.at(loader));
        std::ranges::sort(of_loader);
        rates.push_back(quantile(of_loader, 0.75));
    }
    return rates;
}

/// A sweep under way.
class LoadRounds {
public:
    LoadRounds(const LoadSweep& sweep, LoadProbe& probe, const LoadRowSink& row_sink, const PhraseSink& phrase_sink)
        : sweep_(sweep), probe_(probe), row_sink_(row_sink), phrase_sink_(phrase_sink) {}

    void run() {
        if (!measure({LoadStep{}}, "idle"))
            return;
        const std::vector<LoadStep> steps =
            calibrate(sweep_.steps, [this](std::size_t pause) { return rates_at(pause); });
        if (!steps.empty() && measure(steps, "under load"))
            static_cast<void>(measure({LoadStep{}}, "idle again"));
    }

private:
    struct Visited {
        LoadStep step;
        std::vector<std::vector<LoadBatch>> visits{};
        bool is_done = false;
    };

    /// The rate of each loader at a pause; nothing when interrupted. @throws Error where one does not run
    std::optional<std::vector<double>> rates_at(std::size_t pause) {
        constexpr int visits = 10; // of 16 ms each, for which a hypervisor may take a processor away
        std::size_t absent = 0;
        for (int visit = 0; visit < visits; ++visit) {
            phrase_sink_("calibrating the loaders");
            const auto batches = probe_.visit(pause, round_);
            if (batches.empty())
                return std::nullopt;
            std::vector<double> rates = rates_in(batches);
            absent = static_cast<std::size_t>(std::ranges::min_element(rates) - rates.begin());
            if (rates[absent] > 0)
                return rates;
        }
        throw MachineBusy(fmt::format("the loader on processor {} did not run: something else holds it; wait, or give "
                                      "others with 'memtest loaded --load-cpu'",
                                      sweep_.loaders.at(absent)));
    }

    /// Visits the steps in rounds until all are done. @return whether it was not interrupted
    bool measure(const std::vector<LoadStep>& steps, std::string_view what) {
        std::vector<Visited> visited;
        for (const LoadStep& step : steps)
            visited.push_back({.step = step});
        std::size_t given = 0;
        const auto give_rows = [&](bool only_done) {
            for (; given < visited.size() && !visited[given].visits.empty() && (visited[given].is_done || !only_done);
                 ++given)
                row_sink_(join_load_visits(visited[given].step, visited[given].visits, sweep_.timing, sweep_.pattern));
        };
        try {
            for (unsigned round = 0; given < visited.size(); ++round, ++round_) {
                phrase_sink_(fmt::format("{}: {} of {} rows known, round {}", what, given, visited.size(), round + 1));
                if (!visit_all(visited)) {
                    give_rows(false);
                    return false;
                }
                give_rows(true);
            }
        } catch (...) {
            give_rows(false);
            throw;
        }
        return true;
    }

    /// @return whether it was not interrupted
    bool visit_all(std::vector<Visited>& visited) {
        for (Visited& at : visited) {
            if (at.is_done)
                continue;
            auto batches = probe_.visit(at.step.pause, round_);
            if (batches.empty())
                return false;
            at.visits.push_back(std::move(batches));
            at.is_done =
                at.visits.size() >= sweep_.timing.visits || load_visits_agree(at.step, at.visits, sweep_.timing);
        }
        return true;
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
