#pragma once

#include "memtest/machine/system_files.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memtest {

/// What stands between this process and the hardware.
struct Virtualization {
    bool is_guest = false;  ///< of a hypervisor
    std::string hypervisor; ///< its name; empty if unknown
    std::string container;  ///< the name of what manages the container that the process is in; empty if none is found

    bool operator==(const Virtualization&) const = default;
};

/// Finds a hypervisor and a container in the places in which systemd-detect-virt (systemd, src/basic/virt.c) looks.
/// @param signature as hypervisor_signature returns it
[[nodiscard]] Virtualization read_virtualization(const SystemFiles& files, std::optional<std::string_view> signature);

/// The hypervisor's signature by CPUID (leaf 0x40000000), "?" if it has none; empty if CPUID knows no hypervisor.
/// std::nullopt on other architectures than x86.
[[nodiscard]] std::optional<std::string> hypervisor_signature();

} // namespace memtest
