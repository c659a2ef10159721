#pragma once

#include "memtest/base/words.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace memtest {

enum class Verdict { no_difference, faster, slower, cannot_tell };

template<>
inline constexpr std::array<Word<Verdict>, 4> word_table<Verdict>{{{Verdict::no_difference, "no difference"},
                                                                   {Verdict::faster, "faster"},
                                                                   {Verdict::slower, "slower"},
                                                                   {Verdict::cannot_tell, "cannot tell"}}};

/// How a figure changed from the baselines to the latest run.
struct Change {
    double base = 0; ///< in the unit of the figure: ns if it is a latency
    double latest = 0;
    double change_percent = 0;
    double noise_percent = 0; ///< the largest change in its direction that noise alone explains
    Verdict verdict = Verdict::no_difference;
};

/// What is known of the noise of a change; all of logarithms.
struct ChangeNoise {
    double latest = 0;       ///< the standard deviation from run to run that the latest run suggests
    double base = 0;         ///< that the baselines suggest
    double between = 0;      ///< the variance between the baselines
    double disagreement = 0; ///< the variance of the median of the parts that changed; 0 for a single one
};

/// Judges changes that are tested together, each between the median of some baselines and the latest run.
///
/// A change counts if it exceeds the tolerance and the noise, t * s. Here s^2 is the variance of the change, and t is
/// the quantile of Student's t that chance exceeds in any of the tests in 2 of 100 comparisons (Bonferroni). Baselines
/// are few, so the variance s1^2 between them is moderated by s0^2, the variance that the runs themselves suggest: s^2
/// = (d0 s0^2 + d s1^2) / (d0 + d). Here d is the number of baselines less 1, and t has d0 + d degrees of freedom. With
/// one baseline only s0 remains.
/// Source: Smyth, Linear models and empirical Bayes methods for assessing differential expression in microarray
/// experiments, Stat. Appl. Genet. Mol. Biol. 3(1), 2004.
class ChangeJudge {
public:
    /// The weight of what a run's own visits and batches suggest for its noise, in baselines (Smyth's d0). A smaller
    /// one detects less of a rise in L3 and memory, a larger one raises false alarms: see "Power of compare" in
    /// tests/bench/README.md.
    static constexpr int run_evidence = 6;

    /// @param tests that share the chance of a false alarm @param baselines at least one
    /// @param evidence d0, the weight of the suggested noise
    ChangeJudge(double tolerance_percent, std::size_t tests, std::size_t baselines, int evidence = run_evidence);

    /// The largest change that noise explains, as a logarithm.
    [[nodiscard]] double bound(const ChangeNoise& noise) const;

    /// `cannot tell` for a rise above the tolerance and within the noise, and where the noise would hide four times the
    /// tolerance. A fall within the noise is no difference: noise only adds time, so the baselines had more of it.
    /// @param rise the logarithm of the change for the worse @param noise its bound
    [[nodiscard]] Verdict verdict(double rise, double noise) const;

private:
    double tolerance_; ///< as a logarithm
    std::size_t baselines_;
    int evidence_;
    double critical_t_;
};

/// The median; of two middle values the one nearer to zero, so that both of two must have changed.
[[nodiscard]] double cautious_median(std::vector<double> changes);

/// The variance between baselines: half the mean square of the changes between any two; 0 for a single one.
/// @param change_between the logarithm of the change from one to the other
[[nodiscard]] double variance_between(std::size_t baselines,
                                      const std::function<double(std::size_t, std::size_t)>& change_between);

/// A logarithm of a ratio as a change in percent.
[[nodiscard]] double percent_of(double log_ratio);

/// The bound of the noise of a change in percent, in the direction of the change; both of logarithms.
[[nodiscard]] double noise_percent_of(double noise, double change);

} // namespace memtest
