#pragma once

#include "memtest/insight/level_rules.hpp"
#include "support/generated_curve.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace memtest::test {

/// Curves of one kind, each of known truth.
struct CurveKind {
    std::string name;
    std::uint64_t curves = 0;
    double least_factor = 1;  ///< by which a capacity may be off at any step of the sweep
    bool small_pages = false; ///< that the sweep states
    std::function<GeneratedCurve(std::uint64_t place)> draw;
};

[[nodiscard]] CurveKind drawn_hierarchies(std::uint64_t curves);
[[nodiscard]] CurveKind plausible_machines_at(int sizes_per_doubling, std::uint64_t seeds);
/// Machines whose capacities lie anywhere between the sizes of a sweep.
[[nodiscard]] CurveKind off_grid(Replacement replacement, std::uint64_t curves);
/// Sweeps of the plausible machines at 16 sizes per doubling, thinned to this number, once from each first size.
[[nodiscard]] CurveKind thinned_to(int sizes_per_doubling);
/// A kind for each class of caches that fill unevenly.
[[nodiscard]] std::vector<CurveKind> uneven_classes_at(int sizes_per_doubling, std::uint64_t curves);
/// Sweeps with pages of 4 KiB as they are, and less the cost of translation, to be read by `without_translation` rules.
[[nodiscard]] std::array<CurveKind, 2> translated_sweeps(std::uint64_t curves);
[[nodiscard]] std::vector<CurveKind> hard_classes_at(int sizes_per_doubling, std::uint64_t curves);

/// The shares of curves whose figures were read right. Figures that depend on the number of levels count as wrong where
/// that number is.
struct Rates {
    double levels = 0;
    double capacities = 0;
    double l1 = 0;
    double latencies = 0;
    double ranges = 0; ///< of the capacities of curves whose number of levels is right
};

std::ostream& operator<<(std::ostream& out, const Rates& rates);

/// How many claims were made with one confidence, and how many of them are about levels that are right.
struct Calibration {
    int found = 0;
    int right = 0;

    [[nodiscard]] double share() const { return found > 0 ? 1.0 * right / found : 0; }
};

/// The results of reading curves.
class Tally {
public:
    void add(const GeneratedCurve& curve, const Hierarchy& found, double least_factor);

    [[nodiscard]] Rates rates() const;
    /// How many ranges of capacities hold the true one, of curves whose number of levels is right.
    [[nodiscard]] const Calibration& ranges() const { return ranges_; }
    /// How wide these ranges are on average.
    [[nodiscard]] double doublings_per_range() const { return ranges_.found > 0 ? doublings_ / ranges_.found : 0; }
    /// Of capacities.
    [[nodiscard]] const Calibration& calibration(Confidence confidence) const {
        return capacities_by_.at(static_cast<std::size_t>(confidence));
    }
    [[nodiscard]] const Calibration& calibration_of_latencies(Confidence confidence) const {
        return latencies_by_.at(static_cast<std::size_t>(confidence));
    }

private:
    int curves_ = 0;
    int levels_ = 0;
    int l1_ = 0;
    int capacities_ = 0;
    int of_capacities_ = 0;
    int latencies_ = 0;
    int of_latencies_ = 0;
    Calibration ranges_;
    double doublings_ = 0;
    std::array<Calibration, 3> capacities_by_;
    std::array<Calibration, 3> latencies_by_;
};

/// A sweep of a plausible machine at two sizes per doubling, with the caches filled by something else at one size.
struct DisturbedSweep {
    GeneratedCurve curve;
    double disturbed_bytes = 0;
};

[[nodiscard]] std::vector<DisturbedSweep> disturbed_sweeps();

/// Reads every curve of the kind into the tally.
void read_curves(const CurveKind& kind, Tally& tally, const LevelRules& rules = {});

} // namespace memtest::test
