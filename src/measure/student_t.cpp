#include "memtest/measure/student_t.hpp"

#include "memtest/base/error.hpp"

#include <cmath>
#include <numbers>

namespace memtest {
namespace {

/// 1 + c^2 k/(k+1) + c^4 k(k+2)/((k+1)(k+3)) + ..., in both formulas of the source.
double cosine_series(double cosine, int first, int degrees_of_freedom) {
    double term = 1;
    double sum = 1;
    for (int k = first; k <= degrees_of_freedom - 3; k += 2) {
        term *= cosine * cosine * k / (k + 1);
        sum += term;
    }
    return sum;
}

} // namespace

double student_t_upper_tail(double t, int degrees_of_freedom) {
    require(degrees_of_freedom >= 1, "Student's t has at least one degree of freedom");
    const double angle = std::atan(t / std::sqrt(degrees_of_freedom));
    const double sine = std::sin(angle);
    const double cosine = std::cos(angle);
    double within = 0; // P(-t < T < t)
    if (degrees_of_freedom % 2 == 0)
        within = sine * cosine_series(cosine, 1, degrees_of_freedom);
    else if (degrees_of_freedom == 1)
        within = angle * 2 * std::numbers::inv_pi;
    else
        within = (angle + sine * cosine * cosine_series(cosine, 2, degrees_of_freedom)) * 2 * std::numbers::inv_pi;
    return (1 - within) / 2;
}

double student_t_quantile(double upper_tail, int degrees_of_freedom) {
    require(upper_tail > 0 && upper_tail <= 0.5, "a tail's probability lies between 0 and a half");
    double below = 0;
    double above = 1;
    while (student_t_upper_tail(above, degrees_of_freedom) > upper_tail && std::isfinite(above))
        above *= 2;
    constexpr int halvings = 60; // more than a double can tell apart
    for (int i = 0; i < halvings; ++i) {
        const double middle = (below + above) / 2;
        (student_t_upper_tail(middle, degrees_of_freedom) > upper_tail ? below : above) = middle;
    }
    return above;
}

} // namespace memtest
