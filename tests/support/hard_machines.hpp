#pragma once

#include "support/generated_curve.hpp"
#include "support/plausible_machines.hpp"

#include <span>
#include <string_view>

namespace memtest::test {

/// A class of machines whose levels barely show, and how one of it is drawn.
struct HardClass {
    std::string_view name;
    MachineSpec (*draw)(Random& random) = nullptr;
};

[[nodiscard]] std::span<const HardClass> hard_classes();

} // namespace memtest::test
