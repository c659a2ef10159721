#include "memtest/measure/load_batch.hpp"

#include "memtest/measure/agreement.hpp"
#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <numeric>

namespace memtest {
namespace {

constexpr double least_share_of_rate = 0.8;

constexpr std::size_t fewest_batches = 8; // that a row requires; each visit has 16

/// Figures over the batches that count, one for each visit that has any.
struct LoadFigures {
    std::vector<double> latency_ns;
    std::vector<double> lines_per_ns; ///< of all load threads
    std::size_t batches = 0;
};

double estimate_over(const std::vector<double>& values, Estimate estimate) {
    return estimate_of(summarize(values), estimate);
}

LoadFigures figures_of(const LoadStep& step, std::span<const std::vector<LoadBatch>> visits, Estimate estimate) {
    LoadFigures figures;
    for (const std::vector<LoadBatch>& visit : visits) {
        std::vector<double> latencies;
        std::vector<double> rates;
        for (const LoadBatch& batch : visit) {
            if (!counts(batch, step))
                continue;
            latencies.push_back(batch.ns_per_access);
            rates.push_back(std::accumulate(batch.lines_per_ns.begin(), batch.lines_per_ns.end(), 0.0));
        }
        if (latencies.empty())
            continue;
        figures.latency_ns.push_back(estimate_over(latencies, estimate));
        figures.lines_per_ns.push_back(estimate_over(rates, estimate));
        figures.batches += latencies.size();
    }
    return figures;
}

bool has_absent_thread(const LoadBatch& batch, const LoadStep& step) {
    for (std::size_t thread = 0; thread < step.lines_per_ns.size(); ++thread) {
        if (is_absent(batch, step, thread))
            return true;
    }
    return false;
}

std::vector<std::size_t> never_ran(const LoadStep& step, std::span<const LoadBatch> batches) {
    std::vector<std::size_t> threads;
    for (std::size_t thread = 0; thread < step.lines_per_ns.size(); ++thread) {
        if (std::ranges::all_of(batches, [&](const LoadBatch& batch) { return is_absent(batch, step, thread); }))
            threads.push_back(thread);
    }
    return threads;
}

std::vector<LoadNote> notes_on(const LoadStep& step, std::span<const LoadBatch> batches, bool is_known,
                               bool is_settled) {
    std::vector<LoadNote> notes;
    const auto add = [&](LoadNote note, bool holds) {
        if (holds)
            notes.push_back(note);
    };
    add(LoadNote::awake, step.pause == endless_pause);
    add(LoadNote::preempted, std::ranges::any_of(batches, &LoadBatch::preempted));
    add(LoadNote::absent,
        std::ranges::any_of(batches, [&](const LoadBatch& batch) { return has_absent_thread(batch, step); }));
    add(LoadNote::few, !is_known);
    add(LoadNote::limit, is_known && !is_settled);
    return notes;
}

} // namespace

bool is_awake(const LoadRow& row) {
    return std::ranges::find(row.notes, LoadNote::awake) != row.notes.end();
}

bool is_settled(const LoadRow& row) {
    const bool is_known =
        std::ranges::none_of(row.notes, [](LoadNote note) { return note == LoadNote::few || note == LoadNote::limit; });
    return is_known || row.set_aside <= row.batches;
}

bool is_absent(const LoadBatch& batch, const LoadStep& step, std::size_t thread) {
    const double rate = batch.lines_per_ns.at(thread);
    return rate <= 0 || rate < least_share_of_rate * step.lines_per_ns.at(thread);
}

bool counts(const LoadBatch& batch, const LoadStep& step) {
    return !batch.preempted && !has_absent_thread(batch, step);
}

bool load_visits_agree(const LoadStep& step, std::span<const std::vector<LoadBatch>> visits, const TimingPlan& timing) {
    const LoadFigures figures = figures_of(step, visits, timing.estimate);
    return figures.batches >= fewest_batches &&
           agreement_of(figures.latency_ns, timing.estimate, timing.precision_percent.value()).is_settled;
}

LoadRow join_load_visits(const LoadStep& step, std::span<const std::vector<LoadBatch>> visits, const TimingPlan& timing,
                         const LoadPattern& pattern) {
    std::vector<LoadBatch> batches;
    for (const std::vector<LoadBatch>& visit : visits)
        batches.insert(batches.end(), visit.begin(), visit.end());
    const LoadFigures figures = figures_of(step, visits, timing.estimate);
    LoadRow row{.load_percent = step.load_percent,
                .visits = visits.size(),
                .batches = figures.batches,
                .set_aside = batches.size() - figures.batches};
    const bool is_known = figures.batches >= fewest_batches;
    bool is_settled = false;
    if (is_known) {
        const Agreement agreement = agreement_of(figures.latency_ns, timing.estimate, timing.precision_percent.value());
        row.latency_ns = agreement.figure;
        row.bytes_per_ns = bytes_moved(estimate_over(figures.lines_per_ns, timing.estimate), pattern);
        row.visits_percent = agreement.percent;
        is_settled = agreement.is_settled;
    }
    row.notes = notes_on(step, batches, is_known, is_settled);
    row.never_ran = never_ran(step, batches);
    return row;
}

} // namespace memtest
