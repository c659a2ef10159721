#include "memtest/insight/change.hpp"

#include "memtest/measure/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace memtest {
namespace {

// Chance that noise alone exceeds the bound, over all changes that are tested together.
constexpr double chance_of_any = 0.02;

// If noise hides more than this many tolerances, `no difference` would be worthless.
constexpr double hidden_tolerances = 4;

} // namespace

ChangeJudge::ChangeJudge(double tolerance_percent, std::size_t tests, std::size_t baselines, int evidence)
    : tolerance_(std::log1p(tolerance_percent / 100)), baselines_(baselines), evidence_(evidence),
      critical_t_(student_t_quantile(chance_of_any / static_cast<double>(std::max<std::size_t>(tests, 1)),
                                     evidence + static_cast<int>(baselines) - 1)) {}

double ChangeJudge::bound(const ChangeNoise& noise) const {
    // The latest run is one; the base is the median of several.
    const auto count = static_cast<double>(baselines_);
    const double suggested = noise.latest * noise.latest + noise.base * noise.base / count;
    const double seen = noise.between * (1 + 1 / count);
    const double d = count - 1;
    const double variance = (evidence_ * suggested + d * seen) / (evidence_ + d);
    return critical_t_ * std::sqrt(variance + noise.disagreement);
}

Verdict ChangeJudge::verdict(double rise, double noise) const {
    const bool beyond_noise = std::abs(rise) > noise;
    if (rise > tolerance_)
        return beyond_noise ? Verdict::slower : Verdict::cannot_tell;
    if (rise < -tolerance_ && beyond_noise)
        return Verdict::faster;
    return noise > hidden_tolerances * tolerance_ ? Verdict::cannot_tell : Verdict::no_difference;
}

double cautious_median(std::vector<double> changes) {
    std::sort(changes.begin(), changes.end());
    const double lower = changes[(changes.size() - 1) / 2];
    const double upper = changes[changes.size() / 2];
    return std::clamp(0.0, lower, upper);
}

double variance_between(std::size_t baselines, const std::function<double(std::size_t, std::size_t)>& change_between) {
    double sum = 0;
    int pairs = 0;
    for (std::size_t i = 0; i < baselines; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const double change = change_between(i, j);
            sum += change * change;
            ++pairs;
        }
    return pairs > 0 ? sum / pairs / 2 : 0;
}

double percent_of(double log_ratio) {
    return 100 * std::expm1(log_ratio);
}

double noise_percent_of(double noise, double change) {
    return change < 0 ? -percent_of(-noise) : percent_of(noise);
}

} // namespace memtest
