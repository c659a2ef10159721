#include "support/level_rates.hpp"

#include "memtest/insight/levels.hpp"
#include "support/machine_classes.hpp"
#include "support/plausible_machines.hpp"

#include <array>
#include <ostream>
#include <span>
#include <utility>

namespace memtest::test {
namespace {

constexpr double half_a_doubling = 1.41;

/// Every `step`th size, from the one at `phase` on.
GeneratedCurve thinned(GeneratedCurve dense, std::size_t step, std::size_t phase) {
    std::vector<CurvePoint> points;
    for (std::size_t i = phase; i < dense.points.size(); i += step)
        points.push_back(dense.points[i]);
    dense.points = points;
    return dense;
}

} // namespace

CurveKind drawn_hierarchies(std::uint64_t curves) {
    return {"drawn hierarchies, 2 to 16 sizes per doubling", curves, 1, false,
            [](std::uint64_t place) { return generate_curve(place + 1); }};
}

CurveKind plausible_machines_at(int sizes_per_doubling, std::uint64_t seeds) {
    const std::span<const MachineSpec> machines = plausible_machines();
    return {"plausible machines, " + std::to_string(sizes_per_doubling) + " per doubling", seeds * machines.size(),
            half_a_doubling, true, [=](std::uint64_t place) {
                return chase(machines[place % machines.size()], sizes_per_doubling, place / machines.size() + 1);
            }};
}

CurveKind thinned_to(int sizes_per_doubling) {
    constexpr std::size_t dense = 16;
    const std::span<const MachineSpec> machines = plausible_machines();
    const std::size_t phases = dense / static_cast<std::size_t>(sizes_per_doubling);
    return {"thinned to " + std::to_string(sizes_per_doubling) + " per doubling, every phase", phases * machines.size(),
            half_a_doubling, true, [=](std::uint64_t place) {
                return thinned(chase(machines[place / phases], dense, 1), phases, place % phases);
            }};
}

CurveKind off_grid(Replacement replacement, std::uint64_t curves) {
    constexpr std::array<const char*, 3> names = {"least recently used", "random replacement", "hits in proportion"};
    return {std::string("capacities off the grid, ") + names.at(static_cast<std::size_t>(replacement)), curves, 1,
            false, [=](std::uint64_t place) { return generate_off_grid(replacement, place + 1); }};
}

std::vector<CurveKind> hard_classes_at(int sizes_per_doubling, std::uint64_t curves) {
    std::vector<CurveKind> kinds;
    for (const HardClass& hard : hard_classes()) {
        kinds.push_back({std::string(hard.name) + ", " + std::to_string(sizes_per_doubling) + " per doubling", curves,
                         half_a_doubling, true, [=](std::uint64_t place) {
                             Random random(place + 1);
                             return chase(hard.draw(random), sizes_per_doubling, place + 1);
                         }});
    }
    return kinds;
}

std::vector<CurveKind> uneven_classes_at(int sizes_per_doubling, std::uint64_t curves) {
    std::vector<CurveKind> kinds;
    for (const UnevenClass& uneven : uneven_classes())
        kinds.push_back({std::string(uneven.name) + ", " + std::to_string(sizes_per_doubling) + " per doubling", curves,
                         half_a_doubling, false,
                         [=](std::uint64_t place) { return draw_uneven(uneven, sizes_per_doubling, place + 1); }});
    return kinds;
}

std::array<CurveKind, 2> translated_sweeps(std::uint64_t curves) {
    return {CurveKind{"with pages of 4 KiB, 4 per doubling", curves, half_a_doubling, true,
                      [](std::uint64_t place) { return draw_translated(place + 1).sweep; }},
            CurveKind{"the same less translation", curves, half_a_doubling, true,
                      [](std::uint64_t place) { return without_translation(draw_translated(place + 1)); }}};
}

std::vector<DisturbedSweep> disturbed_sweeps() {
    std::vector<DisturbedSweep> sweeps;
    for (const MachineSpec& machine : plausible_machines()) {
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            Random random(seed);
            GeneratedCurve curve = chase(machine, 2, seed);
            // Only a larger size that is quicker shows it.
            const auto place = static_cast<std::size_t>(random.integer(0, static_cast<int>(curve.points.size()) - 2));
            curve.points[place].latency_ns = curve.points[place + 1].latency_ns * random.log_uniform(1.5, 4);
            const double size = curve.points[place].size_bytes;
            sweeps.push_back({std::move(curve), size});
        }
    }
    return sweeps;
}

std::ostream& operator<<(std::ostream& out, const Rates& rates) {
    return out << "levels " << rates.levels << ", capacities " << rates.capacities << ", L1 " << rates.l1
               << ", other latencies " << rates.latencies << ", ranges " << rates.ranges;
}

void Tally::add(const GeneratedCurve& curve, const Hierarchy& found, double least_factor) {
    const Verdict verdict = judge(found, curve.truth, curve.points, least_factor);
    ++curves_;
    levels_ += verdict.levels ? 1 : 0;
    l1_ += verdict.l1 ? 1 : 0;
    capacities_ += verdict.capacities;
    if (verdict.levels) {
        ranges_.right += verdict.ranges;
        ranges_.found += verdict.of_capacities;
        for (const Level& level : found.caches)
            doublings_ += doublings(level.capacity_low_bytes.value(), level.capacity_high_bytes.value());
    }
    of_capacities_ += verdict.of_capacities;
    latencies_ += verdict.latencies;
    of_latencies_ += verdict.of_latencies;
    for (std::size_t place = 0; place < found.caches.size(); ++place) {
        const Level& level = found.caches[place];
        const bool right = is_right(found, place, curve.truth, curve.points, half_a_doubling);
        const auto count = [right](std::array<Calibration, 3>& calibrations, Confidence confidence) {
            Calibration& calibration = calibrations.at(static_cast<std::size_t>(confidence));
            ++calibration.found;
            calibration.right += right ? 1 : 0;
        };
        count(capacities_by_, level.capacity_confidence);
        count(latencies_by_, level.latency_confidence);
    }
}

Rates Tally::rates() const {
    return {1.0 * levels_ / curves_, 1.0 * capacities_ / of_capacities_, 1.0 * l1_ / curves_,
            1.0 * latencies_ / of_latencies_, ranges_.share()};
}

void read_curves(const CurveKind& kind, Tally& tally, const LevelRules& rules) {
    for (std::uint64_t place = 0; place < kind.curves; ++place) {
        const GeneratedCurve curve = kind.draw(place);
        tally.add(curve, infer_levels(curve.points, {.order = Order::random, .small_pages = kind.small_pages}, rules),
                  kind.least_factor);
    }
}

} // namespace memtest::test
