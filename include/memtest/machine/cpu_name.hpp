#pragma once

#include "memtest/machine/system_files.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The published name of an Arm processor with its variant and revision: "Neoverse-N1 r3p1". The numbers of one that
/// is not in the table. @param midr Main ID Register (Arm DDI 0487, MIDR_EL1)
[[nodiscard]] std::string arm_cpu_name(std::uint32_t midr);

/// The names of the processors with these ids, from wherever the kernel of their architecture reports them; ids of the
/// hardware if it reports no name, empty if it reports neither.
[[nodiscard]] std::vector<std::string> read_cpu_names(const SystemFiles& files, const std::vector<int>& ids);

/// The machine's vendor and product (DMI), or its board (device tree); empty if unknown.
[[nodiscard]] std::string read_machine_name(const SystemFiles& files);

/// The strings of a property of the device tree, separated by commas; empty if there is none.
[[nodiscard]] std::string device_tree_text(const SystemFiles& files, std::string_view property);

/// A field of DMI such as sys_vendor; empty if it is missing or a firmware's placeholder.
[[nodiscard]] std::string dmi_text(const SystemFiles& files, std::string_view field);

} // namespace memtest
