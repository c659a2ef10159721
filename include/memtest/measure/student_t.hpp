#pragma once

namespace memtest {

/// P(T > t) for Student's t with a whole number of degrees of freedom, from 1.
/// Source: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.3 and 26.7.4.
[[nodiscard]] double student_t_upper_tail(double t, int degrees_of_freedom);

/// The t that chance exceeds with the given probability, above 0 and up to 0.5.
[[nodiscard]] double student_t_quantile(double upper_tail, int degrees_of_freedom);

} // namespace memtest
