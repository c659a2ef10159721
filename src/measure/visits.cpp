#include "memtest/measure/visits.hpp"

#include "memtest/measure/agreement.hpp"

#include <cmath>
#include <iterator>
#include <utility>

namespace memtest {
namespace {

/// One visit's figures, and its clock.
struct VisitFigures {
    const Measurement* measurement;
    Summary summary;
    double figure_ns;
    std::optional<double> core_ghz; // if known
};

/// The cycles of a visit whose clock is known.
double cycles_of(const VisitFigures& visit) {
    return visit.figure_ns * *visit.core_ghz;
}

/// The higher of the two readings: disturbances only lower them.
std::optional<double> core_ghz_of(const Measurement& m) {
    return m.ghz_before && m.ghz_after ? std::optional(std::max(*m.ghz_before, *m.ghz_after)) : std::nullopt;
}

/// The median clock of the visits; std::nullopt if any is unknown.
std::optional<double> median_ghz(std::span<const VisitFigures> visits) {
    std::vector<double> ghz;
    for (const VisitFigures& visit : visits) {
        if (!visit.core_ghz)
            return std::nullopt;
        ghz.push_back(*visit.core_ghz);
    }
    return ghz.empty() ? std::nullopt : std::optional(median(std::move(ghz)));
}

/// Drops the visits at a clock other than the usual one, unless they are at least half of all. Cores briefly run faster
/// by up to a tenth, and the min would come from such a moment.
void leave_out_other_clocks(std::vector<VisitFigures>& visits) {
    constexpr double same_clock_percent = 2;
    const auto usual = median_ghz(visits);
    const auto is_other = [&](const VisitFigures& visit) {
        return std::abs(*visit.core_ghz - *usual) > same_clock_percent / 100 * *usual;
    };
    if (usual && 2 * std::ranges::count_if(visits, is_other) < std::ssize(visits))
        std::erase_if(visits, is_other);
}

/// The figures of the visits that count: those with batches, at the usual clock.
std::vector<VisitFigures> figures_of(std::span<const Measurement> measurements, Estimate estimate) {
    std::vector<VisitFigures> figures;
    for (const Measurement& m : measurements) {
        if (m.timing.batch_ns.empty())
            continue;
        const Summary summary = summarize(m.timing.batch_ns);
        figures.push_back({.measurement = &m,
                           .summary = summary,
                           .figure_ns = estimate_of(summary, estimate),
                           .core_ghz = core_ghz_of(m)});
    }
    leave_out_other_clocks(figures);
    return figures;
}

template<class Figure>
std::vector<double> values_of(std::span<const VisitFigures> visits, Figure figure) {
    std::vector<double> values(visits.size());
    std::ranges::transform(visits, values.begin(), figure);
    return values;
}

// Without a precision, figures within this of each other repeat.
constexpr double usual_percent = 2;

double percent_of(const TimingPlan& timing) {
    return timing.precision_percent.value_or(usual_percent);
}

Agreement agreement_on(std::span<const VisitFigures> visits, const TimingPlan& timing) {
    return agreement_of(values_of(visits, &VisitFigures::figure_ns), timing.estimate, percent_of(timing));
}

Summary joined_summary(std::span<const VisitFigures> visits, const TimingPlan& timing) {
    const auto values = [&](double Summary::*figure) {
        return values_of(visits, [figure](const VisitFigures& visit) { return visit.summary.*figure; });
    };
    return Summary{.min = agreement_of(values(&Summary::min), Estimate::min, percent_of(timing)).figure,
                   .median = median(values(&Summary::median)),
                   .mean = mean_of(values(&Summary::mean)),
                   .spread_percent = median(values(&Summary::spread_percent))};
}

/// For the min: the median over the visits near the reported one, since each clock reading has its own error.
/// std::nullopt if the clock of any visit is unknown.
std::optional<double> joined_cycles(std::span<const VisitFigures> visits, Estimate estimate, double latency_ns) {
    if (!std::ranges::all_of(visits, [](const VisitFigures& v) { return v.core_ghz.has_value(); }))
        return std::nullopt;
    if (estimate != Estimate::min)
        return estimate_of(summarize(values_of(visits, cycles_of)), estimate);
    std::vector<double> near;
    for (const VisitFigures& visit : visits) {
        if (std::abs(visit.figure_ns - latency_ns) <= usual_percent / 100 * latency_ns)
            near.push_back(cycles_of(visit));
    }
    return median(std::move(near));
}

/// Whether fewer than two other batches come near the min.
bool is_single(std::span<const Measurement> measurements) {
    std::vector<double> batches;
    for (const Measurement& m : measurements)
        batches.insert(batches.end(), m.timing.batch_ns.begin(), m.timing.batch_ns.end());
    std::ranges::sort(batches);
    constexpr std::size_t others = 2;
    return !batches.empty() && (batches.size() <= others || batches[others] > (1 + usual_percent / 100) * batches[0]);
}

/// Each counter's events per access, over the visits in which it ran.
std::vector<std::optional<double>> counts_per_access(std::span<const Measurement> measurements) {
    std::vector<std::optional<double>> per_access(measurements.front().counters.size());
    for (std::size_t counter = 0; counter < per_access.size(); ++counter) {
        double count = 0;
        double accesses = 0;
        for (const Measurement& m : measurements) {
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

bool was_preempted(const Measurement& m) {
    return was_stopped(m.before, m.after);
}

bool has_migrated(const Measurement& m) {
    return m.after.processor != m.before.processor;
}

bool has_faulted(const Measurement& m) {
    return m.after.faults > m.before.faults;
}

/// How others' use of a cache changes a size. Visits that the kernel disturbed show that disturbance, and do not count.
/// Two groups within a single visit are a disturbance, unless there is no other visit.
std::optional<LatencyBand> contention_of(std::span<const VisitFigures> visits) {
    constexpr std::size_t fewest = 2;
    std::vector<double> figures;
    std::vector<LatencyBand> within; // of visits
    for (const VisitFigures& visit : visits) {
        const Measurement& m = *visit.measurement;
        if (was_preempted(m) || has_migrated(m) || has_faulted(m))
            continue;
        figures.push_back(visit.figure_ns);
        const std::vector<double>& batches = m.timing.batch_ns;
        if (const auto groups = contention_in(batches, std::max(fewest, batches.size() / 5)))
            within.push_back(*groups);
    }
    if (const auto groups = contention_in(figures, fewest))
        return groups;
    if (within.empty() || within.size() < std::min(fewest, figures.size()))
        return std::nullopt;
    return LatencyBand{.low_ns = std::ranges::min(within, {}, &LatencyBand::low_ns).low_ns,
                       .high_ns = std::ranges::max(within, {}, &LatencyBand::high_ns).high_ns};
}

std::vector<Note> notes_on(std::span<const Measurement> measurements, const TimingPlan& timing, bool is_contested,
                           bool is_settled) {
    const auto any = [&](auto holds) { return std::ranges::any_of(measurements, holds); };
    std::vector<Note> notes;
    const auto add = [&](Note note, bool holds) {
        if (holds)
            notes.push_back(note);
    };
    add(Note::preempted, any(was_preempted));
    add(Note::migrated, any(has_migrated));
    add(Note::faulted, any(has_faulted));
    add(Note::bimodal, any([](const Measurement& m) { return is_bimodal(m.timing.batch_ns); }));
    add(Note::contested, is_contested);
    if (timing.precision_percent)
        add(Note::limit, !is_settled);
    else
        add(Note::single, timing.estimate == Estimate::min && is_single(measurements));
    add(Note::coarse, any([](const Measurement& m) { return m.timing.coarse; }));
    return notes;
}

} // namespace

VisitsSoFar judge_visits(std::span<const Measurement> measurements, const TimingPlan& timing) {
    const std::vector<VisitFigures> visits = figures_of(measurements, timing.estimate);
    if (visits.empty())
        return {};
    const Agreement agreement = agreement_on(visits, timing);
    return {.latency_ns = agreement.figure, .agree = timing.precision_percent && agreement.is_settled};
}

Row join_visits(int thread, std::size_t size_bytes, std::span<const Measurement> measurements, const TimingPlan& timing,
                std::uint64_t began_ns) {
    Row row;
    row.thread = thread;
    row.size_bytes = size_bytes;
    row.visits_made = measurements.size();
    row.batches = 0;
    for (const Measurement& m : measurements) {
        *row.batches += m.timing.batch_ns.size();
        row.visits.push_back({.start_ns = m.start_ns - std::min(m.start_ns, began_ns), // each by its thread's clock
                              .place_bytes = m.place_bytes,
                              .core_ghz = core_ghz_of(m),
                              .batch_ns = m.timing.batch_ns});
    }
    const std::vector<VisitFigures> visits = figures_of(measurements, timing.estimate);
    bool is_settled = false;
    if (!visits.empty()) {
        const Agreement agreement = agreement_on(visits, timing);
        const Summary summary = joined_summary(visits, timing);
        row.min_ns = summary.min;
        row.median_ns = summary.median;
        row.mean_ns = summary.mean;
        row.spread_percent = summary.spread_percent;
        row.latency_ns = agreement.figure;
        row.latency_cycles = joined_cycles(visits, timing.estimate, agreement.figure);
        row.visits_percent = agreement.percent;
        is_settled = agreement.is_settled;
    }
    const std::optional<LatencyBand> contention = contention_of(visits);
    if (contention) {
        row.low_ns = contention->low_ns;
        row.high_ns = contention->high_ns;
    }
    row.notes = notes_on(measurements, timing, contention.has_value(), is_settled);
    row.is_settled = std::ranges::count(row.notes, Note::limit) == 0;
    row.counts_per_access = counts_per_access(measurements);
    return row;
}

} // namespace memtest
