#include "memtest/machine/virtualization.hpp"

#include "support/fake_system.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

struct Place {
    std::string_view path;
    std::string_view text;
    std::string_view hypervisor; ///< "-": a guest of an unknown one
    std::optional<std::string_view> signature = std::nullopt;
};

TEST(Hypervisor, IsFoundWhereSystemdLooks) {
    const std::vector<Place> places{
        {"/proc/cpuinfo", "", "KVM", "KVMKVMKVM"},
        {"/proc/cpuinfo", "", "Hyper-V", "Microsoft Hv"},
        {"/proc/cpuinfo", "", "-", "unheard of"},
        {"/proc/cpuinfo", "", "-", "?"},
        {"/proc/cpuinfo", "flags\t\t: fpu vme hypervisor\n", "-"},
        {"/proc/cpuinfo", "flags\t\t: fpu vme hypervisorless\n", ""},
        {"/proc/cpuinfo", "vendor_id\t: User Mode Linux\n", "User Mode Linux"},
        {"/sys/hypervisor/type", "xen\n", "Xen"},
        {"/sys/hypervisor/type", "other\n", "other"},
        {"/sys/class/dmi/id/product_name", "KVM Virtual Machine\n", "KVM"},
        {"/sys/class/dmi/id/sys_vendor", "QEMU\n", "KVM", "KVMKVMKVM"},
        {"/sys/class/dmi/id/sys_vendor", "QEMU\n", "QEMU"},
        {"/sys/class/dmi/id/board_vendor", "Oracle Corporation\n", "VirtualBox", "KVMKVMKVM"},
        {"/sys/class/dmi/id/bios_vendor", "Amazon EC2\n", "Amazon EC2"},
        {"/proc/device-tree/hypervisor/compatible", std::string_view("linux,kvm\0", 10), "KVM"},
        {"/proc/device-tree/hypervisor/compatible", std::string_view("xen,xen-4.17\0xen,xen\0", 21), "Xen"},
        {"/proc/device-tree/fw-cfg@9020000/compatible", "qemu,fw-cfg-mmio", "QEMU"},
        {"/proc/device-tree/compatible", std::string_view("linux,dummy-virt\0", 17), "QEMU"},
        {"/proc/sysinfo", "VM00 Control Program: KVM/Linux       \n", "KVM"},
        {"/sys/class/dmi/id/product_version", "Hyper-V UEFI Release v4.1\n", "Hyper-V"},
        {"/sys/class/dmi/id/sys_vendor", "Xen\n", "Xen", "KVMKVMKVM"},
        {"/sys/class/dmi/id/sys_vendor", "Acme\n", ""},
        {"/proc/device-tree/hypervisor/compatible", "vmware", "VMware"},
        {"/proc/device-tree/hypervisor/compatible", "acme,hv", "acme,hv"},
        {"/proc/device-tree/compatible", "qemu,pseries", "QEMU"},
        {"/proc/device-tree/compatible", "acme,board", ""},
        {"/proc/sysinfo", "VM00 Control Program: z/VM 7.2.0\n", "z/VM"},
        {"/proc/sysinfo", "VM00 Control Program: Acme\n", "Acme"},
        {"/proc/sysinfo", "LPAR Name:            LP1\n", ""},
    };
    for (const Place& place : places) {
        const FakeSystem system;
        system.add(place.path, place.text);
        const Virtualization found = read_virtualization(system.files(), place.signature);
        EXPECT_EQ(found.is_guest, !place.hypervisor.empty()) << place.path << place.text;
        EXPECT_EQ(found.hypervisor, place.hypervisor == "-" ? "" : place.hypervisor) << place.path << place.text;
    }
}

TEST(Hypervisor, IsNoneOnTheMetalOfACloudAndInTheDomainThatDrivesIt) {
    const FakeSystem cloud;
    cloud.add("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
    cloud.add("/sys/class/dmi/id/product_name", "c7g.metal\n");
    EXPECT_FALSE(read_virtualization(cloud.files(), std::nullopt).is_guest);
    const FakeSystem xen;
    xen.add("/sys/hypervisor/type", "xen\n");
    xen.add("/proc/xen/capabilities", "control_d\n");
    EXPECT_FALSE(read_virtualization(xen.files(), "XenVMMXenVMM").is_guest);
}

TEST(Hypervisor, IsPowerVmWhereAManagerRunsThePartitionWithoutAScreenOfQemu) {
    const FakeSystem system;
    const auto found = [&] { return read_virtualization(system.files(), "").hypervisor; };
    system.add("/proc/device-tree/ibm,partition-name", "lpar1");
    EXPECT_EQ(found(), "");
    system.add("/proc/device-tree/hmc-managed?", "1");
    EXPECT_EQ(found(), "PowerVM");
    system.add("/proc/device-tree/chosen/qemu,graphic-width", "800");
    EXPECT_EQ(found(), "");
}

TEST(Container, IsNoneOnAHostOfOpenVz) {
    const FakeSystem system;
    system.add("/proc/vz/version", "1\n");
    system.add("/proc/bc/resources", "1\n");
    EXPECT_EQ(read_virtualization(system.files(), "").container, "");
}

TEST(Hypervisor, IsNoneWhereCpuidKnowsNoneWhateverTheVendor) {
    for (const auto& [field, text] : {std::pair("sys_vendor", "Oracle Corporation\n"),
                                      {"product_name", "Google Compute Engine\n"},
                                      {"bios_vendor", "Amazon EC2\n"}}) {
        const FakeSystem system;
        system.add(std::string("/sys/class/dmi/id/") + field, text);
        EXPECT_FALSE(read_virtualization(system.files(), "").is_guest) << text;
        EXPECT_TRUE(read_virtualization(system.files(), "KVMKVMKVM").is_guest) << text;
    }
    const FakeSystem paravirtual;
    paravirtual.add("/sys/hypervisor/type", "xen\n");
    EXPECT_EQ(read_virtualization(paravirtual.files(), "").hypervisor, "Xen") << "the processor is not asked alone";
}

TEST(Container, IsNamedByWhatItsManagerLeaves) {
    const std::vector<Place> places{
        {"/.dockerenv", "", "docker"},
        {"/run/.containerenv", "", "podman"},
        {"/run/systemd/container", "systemd-nspawn\n", "systemd-nspawn"},
        {"/run/host/container-manager", "flatpak\n", "flatpak"},
        {"/proc/1/environ", std::string_view("PATH=/bin\0container=lxc\0HOME=/\0", 31), "lxc"},
        {"/proc/1/environ", std::string_view("KUBERNETES_SERVICE_HOST=10.0.0.1\0", 33), "kubernetes"},
        {"/proc/1/environ", std::string_view("notcontainer=lxc\0", 17), ""},
        {"/proc/1/cgroup", "5:cpu:/kubepods/besteffort/pod1\n", "kubernetes"},
        {"/proc/vz/version", "1\n", "openvz"},
        {"/proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2\n", "wsl"},
        {"/proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n", "wsl"},
        {"/proc/sys/kernel/osrelease", "6.6.0-wsl\n", "wsl"},
        {"/proc/1/cgroup", "4:cpu:/libpod-1\n", "podman"},
        {"/proc/1/cgroup", "4:cpu:/lxc/1\n", "lxc"},
        {"/proc/1/cgroup", "0::/init.scope\n", ""},
    };
    for (const Place& place : places) {
        const FakeSystem system;
        system.add(place.path, place.text);
        EXPECT_EQ(read_virtualization(system.files(), std::nullopt).container, place.hypervisor)
            << place.path << place.text;
    }
}

TEST(Hypervisor, HasASignatureWhereTheKernelSaysThatThereIsOne) {
    const std::optional<std::string> flags = SystemFiles().field("/proc/cpuinfo", "flags");
    const std::optional<std::string> signature = hypervisor_signature();
    if (!signature || !flags)
        GTEST_SKIP() << "this architecture has none, or this kernel does not say";
    EXPECT_EQ(!signature->empty(), (*flags + ' ').find(" hypervisor ") != std::string::npos) << *signature;
    EXPECT_LE(signature->size(), 12U);
}

TEST(Container, IsNamedByTheNextFileWhereOneIsEmpty) {
    const FakeSystem system;
    system.add("/run/host/container-manager", "\n");
    system.add("/run/systemd/container", "podman\n");
    EXPECT_EQ(read_virtualization(system.files(), std::nullopt).container, "podman");
}

} // namespace
} // namespace memtest
