#include "memtest/measure/sweep.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace memtest {
namespace {

/// What every mapping's batches say, of those that have any.
std::vector<Summary> summaries_of(const std::vector<Measurement>& mappings) {
    std::vector<Summary> summaries;
    for (const Measurement& m : mappings) {
        if (!m.timing.batch_ns.empty())
            summaries.push_back(summarize(m.timing.batch_ns));
    }
    return summaries;
}

template<class Figure>
std::vector<double> sorted_figures(const std::vector<Summary>& summaries, Figure figure) {
    std::vector<double> figures;
    figures.reserve(summaries.size());
    for (const Summary& summary : summaries)
        figures.push_back(figure(summary));
    std::ranges::sort(figures);
    return figures;
}

std::optional<Summary> joined(const std::vector<Summary>& summaries) {
    if (summaries.empty())
        return std::nullopt;
    const auto figures = [&](double Summary::*figure) {
        return sorted_figures(summaries, [figure](const Summary& summary) { return summary.*figure; });
    };
    const std::vector<double> means = figures(&Summary::mean);
    return Summary{.min = figures(&Summary::min).front(),
                   .median = quantile(figures(&Summary::median), 0.5),
                   .mean = std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(means.size()),
                   .spread_percent = quantile(figures(&Summary::spread_percent), 0.5)};
}

/// Largest over smallest of the mappings' estimates, in percent above 1.
std::optional<double> placement_percent(const std::vector<Summary>& summaries, Estimate estimate) {
    if (summaries.size() < 2)
        return std::nullopt;
    const auto estimates =
        sorted_figures(summaries, [estimate](const Summary& summary) { return estimate_of(summary, estimate); });
    return 100 * (estimates.back() / estimates.front() - 1);
}

/// Whether fewer than two other batches come near the smallest.
bool is_single(const std::vector<double>& batch_ns, double percent) {
    if (batch_ns.empty())
        return false;
    const double near = std::ranges::min(batch_ns) * (1 + percent / 100);
    return std::ranges::count_if(batch_ns, [near](double ns) { return ns <= near; }) < 3;
}

/// What each counter gave per access, over the mappings in which it ran.
std::vector<std::optional<double>> counts_per_access(const std::vector<Measurement>& mappings) {
    std::vector<std::optional<double>> per_access(mappings.front().counters.size());
    for (std::size_t counter = 0; counter < per_access.size(); ++counter) {
        double count = 0;
        double accesses = 0;
        for (const Measurement& m : mappings) {
            if (const auto scaled = scaled_count(m.counters[counter])) {
                count += *scaled;
                accesses += static_cast<double>(m.timing.accesses);
            }
        }
        if (accesses > 0)
            per_access[counter] = count / accesses;
    }
    return per_access;
}

std::vector<Note> notes_on(const std::vector<Measurement>& mappings, const Sweep& sweep) {
    const auto any = [&](auto holds) { return std::ranges::any_of(mappings, holds); };
    std::vector<Note> notes;
    const auto add = [&](Note note, bool holds) {
        if (holds)
            notes.push_back(note);
    };
    add(Note::preempted, any([](const Measurement& m) { return m.after.preemptions > m.before.preemptions; }));
    add(Note::migrated, any([](const Measurement& m) { return m.after.processor != m.before.processor; }));
    add(Note::faulted, any([](const Measurement& m) { return m.after.faults > m.before.faults; }));
    add(Note::bimodal, any([](const Measurement& m) { return is_bimodal(m.timing.batch_ns); }));
    add(Note::single, sweep.estimate == Estimate::min && any([&](const Measurement& m) {
                          return is_single(m.timing.batch_ns, sweep.agreement_percent);
                      }));
    add(Note::limit, any([](const Measurement& m) { return m.timing.hit_limit; }));
    add(Note::coarse, any([](const Measurement& m) { return m.timing.coarse; }));
    return notes;
}

} // namespace

std::optional<double> cycles_of(const Row& row) {
    return row.latency_ns ? std::optional(*row.latency_ns * row.core_ghz) : std::nullopt;
}

Row join_mappings(int thread, std::size_t size_bytes, const std::vector<Measurement>& mappings, const Sweep& sweep) {
    Row row;
    row.thread = thread;
    row.size_bytes = size_bytes;
    row.lowest_ghz = mappings.front().ghz_before;
    for (const Measurement& m : mappings) {
        row.batch_ns.insert(row.batch_ns.end(), m.timing.batch_ns.begin(), m.timing.batch_ns.end());
        row.core_ghz += (m.ghz_before + m.ghz_after) / 2 / static_cast<double>(mappings.size());
        row.lowest_ghz = std::min({row.lowest_ghz, m.ghz_before, m.ghz_after});
        row.highest_ghz = std::max({row.highest_ghz, m.ghz_before, m.ghz_after});
    }
    const std::vector<Summary> summaries = summaries_of(mappings);
    row.summary = joined(summaries);
    if (row.summary)
        row.latency_ns = estimate_of(*row.summary, sweep.estimate);
    row.placement_percent = placement_percent(summaries, sweep.estimate);
    row.notes = notes_on(mappings, sweep);
    row.counts_per_access = counts_per_access(mappings);
    return row;
}

void run_sweep(const Sweep& sweep, const MapProbe& map_probe, const RowSink& row_sink,
               const ProgressSink& progress_sink) {
    using ByThread = std::vector<std::vector<Measurement>>; // for each thread, one measurement per mapping
    std::map<std::size_t, ByThread> pending;
    const auto give_row = [&](std::size_t size, const ByThread& threads) {
        for (std::size_t thread = 0; thread < threads.size(); ++thread)
            row_sink(join_mappings(static_cast<int>(thread), size, threads[thread], sweep));
    };

    const std::size_t steps = sweep.sizes.size() * sweep.mappings;
    std::size_t done = 0;
    bool interrupted = false;
    for (unsigned mapping = 0; mapping < sweep.mappings && !interrupted; ++mapping) {
        const std::unique_ptr<Probe> probe = map_probe();
        for (const std::size_t size : sweep.sizes) {
            progress_sink(done++, steps);
            std::vector<Measurement> measured = probe->measure(size);
            interrupted = measured.empty();
            if (interrupted)
                break;
            ByThread& threads = pending[size];
            threads.resize(measured.size());
            for (std::size_t thread = 0; thread < measured.size(); ++thread)
                threads[thread].push_back(std::move(measured[thread]));
            if (mapping + 1 == sweep.mappings) {
                give_row(size, threads);
                pending.erase(size);
            }
        }
    }
    for (const auto& [size, threads] : pending)
        give_row(size, threads);
}

} // namespace memtest
