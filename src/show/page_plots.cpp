#include "memtest/show/page.hpp"

#include "memtest/base/text.hpp"
#include "memtest/kinds/sweep.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

namespace memtest {
namespace {

/// What is drawn together: the sweeps of the levels.
Plot plot_of_sweeps(const StoredFile& report) {
    std::vector<Result> sweeps;
    std::vector<std::string> labels;
    const std::vector<Result> other_kinds = parts_of(report, "kinds");
    const auto add = [&](const Result& sweep, std::string_view pages) {
        sweeps.push_back(sweep);
        append(labels.emplace_back(other_kinds.empty() ? "" : core_kinds_of(sweep)), pages);
    };
    if (const Result* huge = huge_pages_of(report)) // first: the page shows its levels
        add(*huge, "huge");
    if (const Result* small = find_part(report.results, "sweep"))
        add(*small, "small");
    for (const Result& sweep : other_kinds)
        add(sweep, "");
    return sweeps.empty() ? Plot() : sweep_kind.facts.plot(sweeps, labels, {.levels = true});
}

Plot plot_of_machines(const StoredFile& report, const PageExtras& extras) {
    std::vector<Result> sweeps;
    std::vector<std::string> labels;
    if (const Result* here = sweep_of_levels(report)) {
        sweeps.push_back(*here);
        labels.push_back(extras.name);
    }
    for (const MachineInBrief& machine : extras.beside) {
        if (machine.sweep) {
            sweeps.push_back(*machine.sweep);
            labels.push_back(machine.name);
        }
    }
    if (extras.beside.empty() || sweeps.empty())
        return {};
    Plot plot = sweep_kind.facts.plot(sweeps, labels, {});
    std::get<SizePlot>(plot).title = "Memory access latency of the machines";
    return plot;
}

/// A single dot shows nothing.
bool shows_something(const Plot& plot) {
    std::size_t points = 0;
    if (const auto* curves = std::get_if<SizePlot>(&plot)) {
        for (const PlotCurve& curve : curves->curves)
            points = std::max(points, curve.points.size());
    } else {
        for (const auto& row : std::get<HeatMap>(plot).values)
            points +=
                static_cast<std::size_t>(std::ranges::count_if(row, [](auto value) { return value.has_value(); }));
    }
    return points > 1;
}

} // namespace

std::vector<std::string> plots_of(const StoredFile& report) {
    std::vector<std::string> names{"sweep", "beside"};
    for (const Result& part : report.results) {
        if (part.kind != &sweep_kind && part.kind->facts.plot != nullptr)
            names.push_back(part.part);
    }
    return names;
}

std::optional<Plot> plot_of(const StoredFile& report, const PageExtras& extras, std::string_view name) {
    const Result* part = find_part(report.results, name);
    Plot plot = name == "sweep"    ? plot_of_sweeps(report)
                : name == "beside" ? plot_of_machines(report, extras)
                                   : part->kind->facts.plot({*part}, {part_in_words(name)}, {});
    return shows_something(plot) ? std::optional(std::move(plot)) : std::nullopt;
}

} // namespace memtest
