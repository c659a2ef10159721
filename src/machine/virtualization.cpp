#include "memtest/machine/virtualization.hpp"

#include "memtest/base/text.hpp"
#include "memtest/machine/cpu_name.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace memtest {
namespace {

/// How texts begin, and what each stands for: "KVMKVMKVM=KVM, VMW=VMware".
using Signs = std::string_view;

constexpr Signs signatures =
    "XenVMMXenVMM=Xen, KVMKVMKVM=KVM, Linux KVM Hv=KVM, TCGTCGTCGTCG=QEMU, VMwareVMware=VMware, Microsoft Hv=Hyper-V, "
    "bhyve bhyve=bhyve, QNXQVMBSQG=QNX, ACRNACRNACRN=ACRN, SRESRESRESRE=SRE, Apple VZ=Apple Virtualization";
constexpr Signs dmi_signs =
    "KVM=KVM, OpenStack=KVM, KubeVirt=KVM, Amazon EC2=Amazon EC2, QEMU=QEMU, VMware=VMware, VMW=VMware, "
    "innotek GmbH=VirtualBox, VirtualBox=VirtualBox, Oracle Corporation=VirtualBox, Xen=Xen, Bochs=Bochs, "
    "Parallels=Parallels, BHYVE=bhyve, Hyper-V=Hyper-V, Apple Virtualization=Apple Virtualization, "
    "Google Compute Engine=Google Compute Engine";
constexpr Signs files_of_containers = "/run/.containerenv=podman, /.dockerenv=docker";
constexpr Signs groups_of_containers = "kubepods=kubernetes, /libpod=podman, /docker=docker, /lxc=lxc";

/// What the first sign that is there stands for; empty if none is.
template<class IsThere>
std::string meaning_of(Signs signs, const IsThere& is_there) {
    for (const std::string_view sign : split_fields(signs)) {
        const std::size_t equals = sign.find('=');
        if (is_there(sign.substr(0, equals)))
            return std::string(sign.substr(equals + 1));
    }
    return "";
}

std::string meaning_of_start(std::string_view text, Signs signs) {
    return meaning_of(signs, [text](std::string_view start) { return text.starts_with(start); });
}

std::string hypervisor_in_dmi(const SystemFiles& files) {
    // The product first: with KVM the vendor may still be QEMU.
    for (const char* field : {"product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version"}) {
        if (std::string found = meaning_of_start(dmi_text(files, field), dmi_signs); !found.empty()) {
            const bool is_metal = dmi_text(files, "product_name").find(".metal") != std::string::npos;
            return found == "Amazon EC2" && is_metal ? "" : found;
        }
    }
    return "";
}

std::string hypervisor_in_device_tree(const SystemFiles& files) {
    const auto has = [&](std::string_view property) { return !device_tree_text(files, property).empty(); };
    if (const std::string type = device_tree_text(files, "hypervisor/compatible"); !type.empty())
        return type.starts_with("linux,kvm")              ? "KVM"
               : type.find("xen") != std::string::npos    ? "Xen"
               : type.find("vmware") != std::string::npos ? "VMware"
                                                          : type;
    if (has("ibm,partition-name") && has("hmc-managed?") && !has("chosen/qemu,graphic-width"))
        return "PowerVM";
    const auto is_of_qemu = [](const std::string& name) { return name.find("fw-cfg") != std::string::npos; };
    const std::string compatible = device_tree_text(files, "compatible");
    if (std::ranges::any_of(files.names("/proc/device-tree"), is_of_qemu) || compatible.starts_with("qemu,") ||
        compatible.starts_with("linux,dummy-virt"))
        return "QEMU";
    return "";
}

/// The part of Xen that drives the hardware.
bool is_xen_dom0(const SystemFiles& files) {
    return files.line("/proc/xen/capabilities").value_or("").find("control_d") != std::string::npos;
}

/// On s390x, from "VM00 Control Program: z/VM 7.2.0".
std::string hypervisor_in_sysinfo(const SystemFiles& files) {
    const std::string program = files.field("/proc/sysinfo", "VM00 Control Program").value_or("");
    return program.starts_with("z/VM") ? "z/VM" : program.starts_with("KVM") ? "KVM" : program;
}

/// The name of the hypervisor, "?" if it has none; empty if none is found.
std::string find_hypervisor(const SystemFiles& files, std::optional<std::string_view> cpuid) {
    // Vendors of hypervisors also sell machines. CPUID knows those that have none.
    std::string in_dmi = cpuid == "" ? "" : hypervisor_in_dmi(files);
    const std::string_view signature = cpuid.value_or("");
    // These are known to DMI alone, or better.
    constexpr std::array<std::string_view, 4> surely{"VirtualBox", "Xen", "Amazon EC2", "Parallels"};
    if (std::ranges::find(surely, in_dmi) != surely.end())
        return in_dmi;
    if (files.field("/proc/cpuinfo", "vendor_id") == "User Mode Linux")
        return "User Mode Linux";
    if (is_xen_dom0(files))
        return "";
    const std::string type = files.line("/sys/hypervisor/type").value_or("");
    std::string found = meaning_of_start(signature, signatures);
    for (const auto& next : {std::string(type == "xen" ? "Xen" : ""), hypervisor_in_device_tree(files), type,
                             hypervisor_in_sysinfo(files), in_dmi}) {
        if (found.empty())
            found = next;
    }
    const std::string flags = files.field("/proc/cpuinfo", "flags").value_or("") + ' ';
    const bool is_flagged = flags.find(" hypervisor ") != std::string::npos;
    return found.empty() && (is_flagged || !signature.empty()) ? "?" : found;
}

/// The value of a variable of process 1, which its manager sets; only the same user can read it.
std::optional<std::string> variable_of_init(const SystemFiles& files, std::string_view name) {
    const std::string all = '\0' + files.text("/proc/1/environ").value_or("");
    const std::size_t at = all.find('\0' + std::string(name) + '=');
    if (at == std::string::npos)
        return std::nullopt;
    return std::string(all.c_str() + at + name.size() + 2);
}

std::string find_container(const SystemFiles& files) {
    if (!files.names("/proc/vz").empty() && files.names("/proc/bc").empty())
        return "openvz";
    const std::string release = lower_case(files.line("/proc/sys/kernel/osrelease").value_or(""));
    if (release.find("microsoft") != std::string::npos || release.find("wsl") != std::string::npos)
        return "wsl";
    for (const auto& name : {files.line("/run/host/container-manager"), files.line("/run/systemd/container"),
                             variable_of_init(files, "container")}) {
        if (name && !name->empty())
            return *name;
    }
    if (variable_of_init(files, "KUBERNETES_SERVICE_HOST"))
        return "kubernetes";
    const std::string managed =
        meaning_of(files_of_containers, [&](std::string_view file) { return files.text(file).has_value(); });
    const std::string groups = files.text("/proc/1/cgroup").value_or("");
    return !managed.empty() ? managed : meaning_of(groups_of_containers, [&](std::string_view part) {
        return groups.find(part) != std::string::npos;
    });
}

} // namespace

Virtualization read_virtualization(const SystemFiles& files, std::optional<std::string_view> signature) {
    const std::string hypervisor = find_hypervisor(files, signature);
    return {.is_guest = !hypervisor.empty(),
            .hypervisor = hypervisor == "?" ? "" : hypervisor,
            .container = find_container(files)};
}

std::optional<std::string> hypervisor_signature() {
#if defined(__x86_64__) || defined(__i386__)
    constexpr unsigned hypervisor_bit = 1U << 31U;
    constexpr unsigned hypervisor_leaf = 0x40000000;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & hypervisor_bit) == 0)
        return "";
    __cpuid(hypervisor_leaf, a, b, c, d);
    const std::array<unsigned, 3> words{b, c, d};
    std::array<char, sizeof words + 1> text{};
    std::memcpy(text.data(), words.data(), sizeof words);
    return text.front() == 0 ? "?" : text.data();
#else
    return std::nullopt;
#endif
}

} // namespace memtest
