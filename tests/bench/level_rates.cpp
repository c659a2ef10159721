// How often levels are read right, kind of curve by kind, and how often each confidence is: the tables of the README.
#include "support/level_rates.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace {

using namespace memtest;
using namespace memtest::test;

std::vector<CurveKind> ordinary_kinds() {
    std::vector<CurveKind> kinds = {drawn_hierarchies(1000)};
    for (const int sizes_per_doubling : {1, 2, 4, 8})
        kinds.push_back(plausible_machines_at(sizes_per_doubling, 10));
    for (const int sizes_per_doubling : {1, 2})
        kinds.push_back(thinned_to(sizes_per_doubling));
    for (const Replacement replacement :
         {Replacement::least_recently_used, Replacement::random, Replacement::in_proportion})
        kinds.push_back(off_grid(replacement, 300));
    return kinds;
}

std::vector<CurveKind> hard_kinds() {
    std::vector<CurveKind> kinds;
    for (const int sizes_per_doubling : {1, 2}) {
        for (const CurveKind& kind : hard_classes_at(sizes_per_doubling, 500))
            kinds.push_back(kind);
    }
    return kinds;
}

std::vector<CurveKind> uneven_kinds() {
    std::vector<CurveKind> kinds;
    for (const int sizes_per_doubling : {2, 4, 8}) {
        for (const CurveKind& kind : uneven_classes_at(sizes_per_doubling, 200))
            kinds.push_back(kind);
    }
    return kinds;
}

/// The ordinary machines at four densities, and each of the hard and uneven classes as one machine more.
std::vector<CurveKind> kinds_with_realistic_weights() {
    std::vector<CurveKind> kinds;
    for (const int sizes_per_doubling : {1, 2, 4, 8}) {
        kinds.push_back(plausible_machines_at(sizes_per_doubling, 10));
        for (const CurveKind& kind : hard_classes_at(sizes_per_doubling, 10))
            kinds.push_back(kind);
        for (const CurveKind& kind : uneven_classes_at(sizes_per_doubling, 10))
            kinds.push_back(kind);
    }
    return kinds;
}

std::string in_percent(const Calibration& calibration) {
    return calibration.found > 0 ? fmt::format("{:.1f} of {}", 100 * calibration.share(), calibration.found) : "";
}

void print_row(const std::string& name, const Tally& tally) {
    const Rates rates = tally.rates();
    fmt::print("| {} | {:.1f} | {:.1f} | {} | {:.2f} | {:.1f} | {:.1f} | {} | {} | {} | {} | {} | {} |\n", name,
               100 * rates.levels, 100 * rates.capacities, in_percent(tally.ranges()), tally.doublings_per_range(),
               100 * rates.l1, 100 * rates.latencies, in_percent(tally.calibration(Confidence::high)),
               in_percent(tally.calibration(Confidence::fair)), in_percent(tally.calibration(Confidence::low)),
               in_percent(tally.calibration_of_latencies(Confidence::high)),
               in_percent(tally.calibration_of_latencies(Confidence::fair)),
               in_percent(tally.calibration_of_latencies(Confidence::low)));
}

void print_rows(const std::vector<CurveKind>& kinds) {
    for (const CurveKind& kind : kinds) {
        Tally tally;
        read_curves(kind, tally);
        print_row(kind.name, tally);
    }
}

void print_translated() {
    const auto [with_translation, subtracted] = translated_sweeps(200);
    print_rows({with_translation});
    Tally tally;
    read_curves(subtracted, tally, without_translation());
    print_row(subtracted.name, tally);
}

void print_together(const std::vector<CurveKind>& kinds, const std::string& name) {
    Tally all;
    for (const CurveKind& kind : kinds)
        read_curves(kind, all);
    print_row(fmt::format("**{}**", name), all);
}

} // namespace

int main() {
    fmt::print("| curves | number of levels (%) | capacities | within the range (%) | its doublings | L1 latency | "
               "other latencies | capacity high, right (%) | fair | low | latency high | fair | low |\n"
               "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    print_rows(ordinary_kinds());
    print_together(ordinary_kinds(), "together");
    print_rows(hard_kinds());
    print_together(hard_kinds(), "together, of machines whose levels barely show");
    print_rows(uneven_kinds());
    print_together(uneven_kinds(), "together, of caches that fill unevenly");
    print_translated();
    print_together(kinds_with_realistic_weights(), "plausible machines and each of these classes as one more");
}
