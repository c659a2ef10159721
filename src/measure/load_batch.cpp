#include "memtest/measure/load_batch.hpp"

#include "memtest/measure/agreement.hpp"
#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace memtest {
namespace {

constexpr std::size_t fewest_batches = 8; // for a figure without a doubt; each visit has 16

/// Figures over the batches that count; if none does, over those that still pair a bandwidth with a latency.
struct LoadFigures {
    std::vector<double> latency_ns; ///< of each visit that has such batches
    std::vector<double> lines_per_ns;
    std::vector<double> batch_latency_ns; ///< of each batch
    std::vector<double> batch_lines_per_ns;
    std::size_t batches = 0; ///< that count
};

double estimate_over(std::span<const double> values, Estimate estimate) {
    return estimate_of(summarize(values), estimate);
}

LoadFigures figures_of(const LoadSetting& setting, Estimate estimate) {
    LoadFigures figures;
    for (const std::vector<LoadBatch>& visit : setting.visits)
        figures.batches += static_cast<std::size_t>(std::ranges::count_if(visit, counts));
    for (const std::vector<LoadBatch>& visit : setting.visits) {
        const std::size_t known = figures.batch_latency_ns.size();
        for (const LoadBatch& batch : visit) {
            if (figures.batches > 0 ? !counts(batch) : batch.preempted || batch.lines_per_ns <= 0)
                continue;
            figures.batch_latency_ns.push_back(batch.ns_per_access);
            figures.batch_lines_per_ns.push_back(batch.lines_per_ns);
        }
        if (figures.batch_latency_ns.size() == known)
            continue;
        figures.latency_ns.push_back(estimate_over(std::span(figures.batch_latency_ns).subspan(known), estimate));
        figures.lines_per_ns.push_back(estimate_over(std::span(figures.batch_lines_per_ns).subspan(known), estimate));
    }
    return figures;
}

/// Whether the visits disagree by more than a fifth, and no single one decides that.
bool has_several_values(std::vector<double> of_visits) {
    constexpr std::size_t fewest = 4;
    std::ranges::sort(of_visits);
    return of_visits.size() >= fewest && of_visits[of_visits.size() - 2] > 1.2 * of_visits[1];
}

/// @return the lower and the upper one
std::pair<double, double> quartiles_of(std::vector<double> values) {
    std::ranges::sort(values);
    return {quantile(values, 0.25), quantile(values, 0.75)};
}

} // namespace

bool has_note(const LoadRow& row, LoadNote note) {
    return std::ranges::find(row.notes, note) != row.notes.end();
}

bool is_awake(const LoadRow& row) {
    return has_note(row, LoadNote::awake);
}

bool is_settled(const LoadRow& row) {
    const bool is_known = !has_note(row, LoadNote::few) && !has_note(row, LoadNote::limit);
    return is_known || row.set_aside <= row.batches;
}

void add_part(LoadBatch& batch, const Measurement& part, unsigned parts) {
    batch.ns_per_access += part.timing.batch_ns.front() / parts;
    batch.preempted = batch.preempted || was_stopped(part.before, part.after);
}

bool counts(const LoadBatch& batch) {
    return !batch.preempted && batch.absent.empty();
}

std::optional<double> median_lines_per_ns(std::span<const LoadBatch> batches) {
    std::vector<double> counted;
    for (const LoadBatch& batch : batches) {
        if (counts(batch))
            counted.push_back(batch.lines_per_ns);
    }
    return counted.empty() ? std::nullopt : std::optional(median(std::move(counted)));
}

std::optional<LoadPair> pair_of(const LoadSetting& setting) {
    const LoadFigures figures = figures_of(setting, Estimate::median);
    if (figures.latency_ns.empty())
        return std::nullopt;
    const auto of_latest = [](const std::vector<double>& of_visits) {
        constexpr std::size_t latest = 5; // so that a machine that changed is noticed
        return median(
            {of_visits.end() - static_cast<std::ptrdiff_t>(std::min(latest, of_visits.size())), of_visits.end()});
    };
    return LoadPair{.lines_per_ns = of_latest(figures.lines_per_ns), .latency_ns = of_latest(figures.latency_ns)};
}

bool load_visits_agree(const LoadSetting& setting, const TimingPlan& timing) {
    const LoadFigures figures = figures_of(setting, timing.estimate);
    return figures.batches >= fewest_batches &&
           agreement_of(figures.latency_ns, timing.estimate, timing.precision_percent.value()).is_settled;
}

LoadRow join_load_visits(const LoadSetting& setting, const TimingPlan& timing, const LoadPattern& pattern) {
    const LoadFigures figures = figures_of(setting, timing.estimate);
    LoadRow row{.visits = setting.visits.size(), .batches = figures.batches};
    bool preempted = false;
    bool absent = false;
    for (const std::vector<LoadBatch>& visit : setting.visits) {
        row.set_aside += visit.size();
        preempted = preempted || std::ranges::any_of(visit, &LoadBatch::preempted);
        absent = absent || std::ranges::any_of(visit, [](const LoadBatch& batch) { return !batch.absent.empty(); });
    }
    row.set_aside -= row.batches;
    bool is_settled = true;
    if (!figures.latency_ns.empty()) {
        const Agreement agreement = agreement_of(figures.latency_ns, timing.estimate, timing.precision_percent.value());
        const auto lines = quartiles_of(figures.batch_lines_per_ns);
        row.latency_ns = agreement.figure;
        std::tie(row.latency_low_ns, row.latency_high_ns) = quartiles_of(figures.batch_latency_ns);
        row.bytes_per_ns = bytes_moved(estimate_over(figures.lines_per_ns, timing.estimate), pattern);
        row.bytes_per_ns_low = bytes_moved(lines.first, pattern);
        row.bytes_per_ns_high = bytes_moved(lines.second, pattern);
        row.visits_percent = agreement.percent;
        is_settled = agreement.is_settled;
    }
    for (const auto& [note, holds] :
         {std::pair(LoadNote::awake, setting.pause == endless_pause), std::pair(LoadNote::preempted, preempted),
          std::pair(LoadNote::absent, absent), std::pair(LoadNote::few, row.batches < fewest_batches),
          std::pair(LoadNote::limit, row.batches >= fewest_batches && !is_settled),
          std::pair(LoadNote::several,
                    has_several_values(figures.latency_ns) || has_several_values(figures.lines_per_ns))}) {
        if (holds)
            row.notes.push_back(note);
    }
    return row;
}

} // namespace memtest
