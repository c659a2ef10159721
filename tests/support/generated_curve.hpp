#pragma once

#include "memtest/chain/random.hpp"
#include "memtest/insight/curve.hpp"
#include "memtest/insight/levels.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memtest::test {

/// Numbers that are the same on every platform.
class Random {
public:
    explicit Random(std::uint64_t seed) : numbers_(seed) {}
    [[nodiscard]] double uniform(double from, double to);
    [[nodiscard]] double log_uniform(double from, double to);
    [[nodiscard]] double normal(); ///< mean 0, standard deviation 1
    [[nodiscard]] int integer(int from, int to);

private:
    SplitMix64 numbers_;
};

/// The smallest and largest latency that counts as that of a level.
struct Band {
    double low_ns = 0;
    double high_ns = 0;
};

/// The right reading of a curve.
struct Truth {
    std::vector<double> capacities_bytes;
    std::vector<Band> latencies; ///< of the caches and of memory
};

struct GeneratedCurve {
    std::vector<CurvePoint> points;
    Truth truth;
};

/// A curve of known truth: one to four caches, each 4 to 64 times the one before and 2.5 to 10 times as slow, replaced
/// at random, least recently used, or in between; two TLB shoulders of 10 to 25 %; 2 to 16 sizes per doubling; 3 % of
/// noise and an outlier of 30 % in one size out of twenty.
[[nodiscard]] GeneratedCurve generate_curve(std::uint64_t seed);

/// What a cache keeps of a walk that is longer than it.
enum class Replacement {
    least_recently_used, ///< nothing
    random,              ///< what is left after a lap by random replacement
    in_proportion,       ///< as much as it holds
};

/// A curve at the sizes of the classic schedule, of machines as above but with 1 % of noise and no outlier. Their
/// capacities lie anywhere between two sizes.
[[nodiscard]] GeneratedCurve generate_off_grid(Replacement replacement, std::uint64_t seed);

/// The parts of a reading that are right.
struct Verdict {
    bool levels = false; ///< their number; without it nothing else counts
    int capacities = 0;  ///< within one step of the sweep
    int ranges = 0;      ///< that hold the capacity
    int of_capacities = 0;
    bool l1 = false;   ///< within 2 %
    int latencies = 0; ///< of the other levels and memory, within 15 % of the band
    int of_latencies = 0;
};

/// @param least_factor a capacity within this factor is right at any step of the sweep
[[nodiscard]] Verdict judge(const Hierarchy& found, const Truth& truth, Curve curve, double least_factor = 1);

/// Whether the cache found at this place is the true one: capacity as above, latency within 15 %, and no level is
/// missing between it and the next, which is told by either.
[[nodiscard]] bool is_right(const Hierarchy& found, std::size_t place, const Truth& truth, Curve curve,
                            double least_factor = 1);

} // namespace memtest::test
