#include "memtest/measure/sweep.hpp"

#include <algorithm>
#include <map>

namespace memtest {
namespace {

double estimate_over(const std::vector<double>& batch_ns, Estimate estimate) {
    return estimate_of(summarize(batch_ns), estimate);
}

/// Largest over smallest of the mappings' estimates, in percent above 1.
double placement_percent(const std::vector<Measurement>& mappings, Estimate estimate) {
    std::vector<double> estimates;
    estimates.reserve(mappings.size());
    for (const Measurement& m : mappings)
        estimates.push_back(estimate_over(m.timing.batch_ns, estimate));
    const auto [smallest, largest] = std::ranges::minmax(estimates);
    return 100 * (largest / smallest - 1);
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

std::vector<Note> notes_on(const Row& row, const std::vector<Measurement>& mappings, Estimate estimate) {
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
    // Two batches within 2 % of the smallest, itself not counted, show that it was no accident.
    add(Note::single, estimate == Estimate::min && std::ranges::count_if(row.batch_ns, [&](double ns) {
                                                       return ns <= 1.02 * row.summary.min;
                                                   }) < 3);
    add(Note::limit, any([](const Measurement& m) { return m.timing.hit_limit; }));
    add(Note::coarse, any([](const Measurement& m) { return m.timing.coarse; }));
    return notes;
}

} // namespace

std::string_view word_of(Note note) {
    switch (note) {
    case Note::preempted:
        return "preempted";
    case Note::migrated:
        return "migrated";
    case Note::faulted:
        return "faulted";
    case Note::bimodal:
        return "bimodal";
    case Note::single:
        return "single";
    case Note::limit:
        return "limit";
    case Note::coarse:
        break;
    }
    return "coarse";
}

Row join_mappings(int thread, std::size_t size_bytes, const std::vector<Measurement>& mappings, Estimate estimate) {
    Row row;
    row.thread = thread;
    row.size_bytes = size_bytes;
    for (const Measurement& m : mappings) {
        row.batch_ns.insert(row.batch_ns.end(), m.timing.batch_ns.begin(), m.timing.batch_ns.end());
        row.core_ghz = std::max(row.core_ghz, m.core_ghz);
    }
    row.summary = summarize(row.batch_ns);
    row.latency_ns = estimate_of(row.summary, estimate);
    if (mappings.size() > 1)
        row.placement_percent = placement_percent(mappings, estimate);
    row.notes = notes_on(row, mappings, estimate);
    row.counts_per_access = counts_per_access(mappings);
    return row;
}

void run_sweep(const Sweep& sweep, const MapProbe& map_probe, const RowSink& row_sink,
               const ProgressSink& progress_sink) {
    using ByThread = std::vector<std::vector<Measurement>>; // for each thread, one measurement per mapping
    std::map<std::size_t, ByThread> pending;
    const auto give_row = [&](std::size_t size, const ByThread& threads) {
        for (std::size_t thread = 0; thread < threads.size(); ++thread)
            row_sink(join_mappings(static_cast<int>(thread), size, threads[thread], sweep.estimate));
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
