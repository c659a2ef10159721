#pragma once

#include "support/generated_curve.hpp"

#include <string>
#include <vector>

namespace memtest::test {

struct ReferenceCurve {
    std::string name;
    std::vector<CurvePoint> points;
    Truth truth;
};

/// The published sweeps in tests/data/curves and what truth.json says of them.
[[nodiscard]] std::vector<ReferenceCurve> reference_curves();

/// The one of that name; the test fails where there is none.
[[nodiscard]] ReferenceCurve reference_curve(const std::string& name);

} // namespace memtest::test
