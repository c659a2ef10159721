#include "memtest/machine/cpu_name.hpp"

#include "memtest/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace memtest {
namespace {

/// A publisher's numbers, each with the name that it gives them: "d03 Cortex-A53, d04 Cortex-A35". A fourth digit of an
/// Arm part is a variant that is another design.
using NameList = std::string_view;

struct Implementer {
    std::uint32_t id = 0;
    std::string_view name;
    NameList parts;
};

// Arm's list of implementers, and their parts as arch/arm64/include/asm/cputype.h of Linux, lscpu of util-linux and the
// technical reference manuals publish them.
constexpr auto implementers = std::to_array<Implementer>({
    {0x41, "Arm",
     "926 ARM926, b36 ARM1136, b56 ARM1156, b76 ARM1176, b02 ARM11 MPCore, c05 Cortex-A5, c07 Cortex-A7, "
     "c08 Cortex-A8, c09 Cortex-A9, c0d Cortex-A12, c0e Cortex-A17, c0f Cortex-A15, d01 Cortex-A32, "
     "d02 Cortex-A34, d03 Cortex-A53, d04 Cortex-A35, d05 Cortex-A55, d06 Cortex-A65, d07 Cortex-A57, "
     "d08 Cortex-A72, d09 Cortex-A73, d0a Cortex-A75, d0b Cortex-A76, d0c Neoverse-N1, d0d Cortex-A77, "
     "d0e Cortex-A76AE, d13 Cortex-R52, d15 Cortex-R82, d40 Neoverse-V1, d41 Cortex-A78, d42 Cortex-A78AE, "
     "d43 Cortex-A65AE, d44 Cortex-X1, d46 Cortex-A510, d47 Cortex-A710, d48 Cortex-X2, d49 Neoverse-N2, "
     "d4a Neoverse-E1, d4b Cortex-A78C, d4c Cortex-X1C, d4d Cortex-A715, d4e Cortex-X3, d4f Neoverse-V2, "
     "d80 Cortex-A520, d81 Cortex-A720, d82 Cortex-X4, d83 Neoverse-V3AE, d84 Neoverse-V3, d85 Cortex-X925, "
     "d87 Cortex-A725, d88 Cortex-A520AE, d89 Cortex-A720AE, d8a C1-Nano, d8b C1-Pro, d8c C1-Ultra, "
     "d8e Neoverse-N3, d8f Cortex-A320, d90 C1-Premium"},
    {0x42, "Broadcom", "00f Brahma-B15, 100 Brahma-B53, 516 ThunderX2"},
    {0x43, "Cavium",
     "0a0 ThunderX, 0a1 ThunderX-88XX, 0a2 ThunderX-81XX, 0a3 ThunderX-83XX, 0af ThunderX2-99XX, 0b0 OcteonTX2, "
     "0b1 OcteonTX2-98XX, 0b2 OcteonTX2-96XX, 0b3 OcteonTX2-95XX, 0b4 OcteonTX2-95XXN, 0b5 OcteonTX2-95XXMM, "
     "0b6 OcteonTX2-95XXO, 0b8 ThunderX3-T110"},
    {0x46, "Fujitsu", "001 A64FX, 003 MONAKA"},
    {0x48, "HiSilicon", "d01 TaiShan-v110 (Kunpeng 920), d02 TaiShan-v120, d06 HIP12, d40 Cortex-A76, d41 Cortex-A77"},
    {0x4e, "NVIDIA", "000 Denver, 003 Denver-2, 004 Carmel, 010 Olympus"},
    {0x50, "APM", "000 X-Gene"},
    {0x51, "Qualcomm",
     "001 Oryon, 002 Oryon-2, 00f Scorpion-00f, 02d Scorpion-02d, 04d Krait-04d, 06f Krait-06f, 200 Kryo-200, "
     "201 Kryo-201, 205 Kryo-205, 211 Kryo-211, 800 Kryo-2XX-Gold, 801 Kryo-2XX-Silver, 802 Kryo-3XX-Gold, "
     "803 Kryo-3XX-Silver, 804 Kryo-4XX-Gold, 805 Kryo-4XX-Silver, c00 Falkor, c01 Saphira"},
    {0x53, "Samsung", "001 Exynos-M1, 4001 Exynos-M2, 002 Exynos-M3, 003 Exynos-M4, 004 Exynos-M5"},
    {0x56, "Marvell", "131 Feroceon-88FR131, 581 PJ4, 584 PJ4B-MP"},
    {0x61, "Apple",
     "020 Icestorm-A14, 021 Firestorm-A14, 022 Icestorm-M1, 023 Firestorm-M1, 024 Icestorm-M1-Pro, "
     "025 Firestorm-M1-Pro, 028 Icestorm-M1-Max, 029 Firestorm-M1-Max, 030 Blizzard-A15, 031 Avalanche-A15, "
     "032 Blizzard-M2, 033 Avalanche-M2, 034 Blizzard-M2-Pro, 035 Avalanche-M2-Pro, 036 Sawtooth-A16, "
     "037 Everest-A16, 038 Blizzard-M2-Max, 039 Avalanche-M2-Max"},
    {0x69, "Intel", ""},
    {0x6d, "Microsoft", "d49 Azure-Cobalt-100, d84 Azure-Cobalt-200"},
    {0x70, "Phytium", "303 FTC310, 660 FTC660, 661 FTC661, 662 FTC662, 663 FTC663, 664 FTC664, 862 FTC862"},
    {0xc0, "Ampere", "ac3 Ampere-1, ac4 Ampere-1a, ac5 Ampere-1b"},
});

// arch/s390/Kconfig of Linux, and IBM's machine types.
constexpr NameList ibm_z =
    "2064 z900, 2066 z800, 2084 z990, 2086 z890, 2094 z9 EC, 2096 z9 BC, 2097 z10 EC, 2098 z10 BC, 2817 z196, "
    "2818 z114, 2827 zEC12, 2828 zBC12, 2964 z13, 2965 z13s, 3906 z14, 3907 z14 ZR1, 8561 z15, 8562 z15 T02, "
    "3931 z16, 3932 z16 A02, 9175 z17";

// arch/riscv/include/asm/vendorid_list.h of Linux: identities of JEDEC.
constexpr NameList riscv_vendors = "29 Microchip, 127 MIPS, 31e Andes, 489 SiFive, 5b7 T-Head, 710 SpacemiT";

/// A number as C writes it, hexadecimal after 0x.
std::optional<std::uint64_t> parse_c_number(std::string_view text, int base = 10) {
    if (text.starts_with("0x")) {
        text.remove_prefix(2);
        base = 16;
    }
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return error == std::errc{} && end != text.data() ? std::optional(number) : std::nullopt;
}

/// The name of a number; empty if the list has none.
std::string_view name_in(NameList list, std::uint64_t id) {
    for (const std::string_view entry : split_fields(list)) {
        if (parse_c_number(entry, 16) == id)
            return entry.substr(entry.find(' ') + 1);
    }
    return {};
}

/// /proc/cpuinfo. Most kernels write lines for each processor; some write what holds for all before or after these.
class CpuInfo {
public:
    explicit CpuInfo(const SystemFiles& files) {
        constexpr int all = -1;
        int processor = all;
        std::istringstream lines(files.text("/proc/cpuinfo").value_or(""));
        for (std::string line; std::getline(lines, line);) {
            const std::size_t colon = line.find(':');
            if (trimmed(line).empty())
                processor = all;
            if (colon == std::string::npos)
                continue;
            const std::string key(trimmed(std::string_view(line).substr(0, colon)));
            const std::string value(trimmed(std::string_view(line).substr(colon + 1)));
            if (key == "processor" || key == "cpu number") // the latter on s390x
                processor = parse_number<int>(value).value_or(all);
            if (!value.empty()) {
                of_.try_emplace({processor, key}, value);
                first_.try_emplace(key, value);
            }
        }
    }

    /// The value for a processor: its own, else the first of any; empty if there is none.
    [[nodiscard]] std::string field(int processor, const std::string& key) const {
        if (const auto own = of_.find({processor, key}); own != of_.end())
            return own->second;
        const auto any = first_.find(key);
        return any == first_.end() ? "" : any->second;
    }

private:
    std::map<std::pair<int, std::string>, std::string> of_;
    std::map<std::string, std::string> first_;
};

std::optional<std::uint32_t> midr_of(const SystemFiles& files, const CpuInfo& info, int processor) {
    const auto in_sysfs =
        files.line(fmt::format("/sys/devices/system/cpu/cpu{}/regs/identification/midr_el1", processor));
    if (const auto midr = parse_c_number(in_sysfs.value_or(""), 16); midr && *midr != 0)
        return static_cast<std::uint32_t>(*midr);
    const auto number = [&](const char* key) { return parse_c_number(info.field(processor, key)); };
    const auto implementer = number("CPU implementer");
    const auto part = number("CPU part");
    if (!implementer || !part)
        return std::nullopt;
    return static_cast<std::uint32_t>(*implementer << 24U | number("CPU variant").value_or(0) << 20U | 0xfU << 16U |
                                      *part << 4U | number("CPU revision").value_or(0));
}

/// From "version = 00,  identification = 4729E7,  machine = 8561".
std::string ibm_z_name(std::string_view line) {
    constexpr std::string_view key = "machine = ";
    const std::size_t at = line.find(key);
    const auto type = parse_c_number(at == std::string_view::npos ? "" : line.substr(at + key.size()), 16);
    if (!type)
        return "";
    const std::string_view name = name_in(ibm_z, *type);
    return name.empty() ? fmt::format("IBM Z, machine type {:04x}", *type) : fmt::format("IBM {}", name);
}

std::string riscv_name(const CpuInfo& info, int processor) {
    const auto vendor = parse_c_number(info.field(processor, "mvendorid"));
    if (!vendor)
        return "";
    const std::string_view name = name_in(riscv_vendors, *vendor);
    return fmt::format("{}, architecture {}, implementation {}",
                       name.empty() ? fmt::format("RISC-V vendor {:#x}", *vendor) : fmt::format("{} RISC-V", name),
                       info.field(processor, "marchid"), info.field(processor, "mimpid"));
}

std::string cpu_name(const SystemFiles& files, const CpuInfo& info, int processor) {
    if (const auto midr = midr_of(files, info, processor))
        return arm_cpu_name(*midr);
    // x86; LoongArch; RISC-V; POWER and SPARC; MIPS; Arm before MIDR was reported
    for (const char* key : {"model name", "Model Name", "uarch", "cpu", "cpu model", "Processor"}) {
        if (std::string name = info.field(processor, key); !name.empty() && name != "unknown")
            return name;
    }
    std::string numbers = info.field(processor, "vendor_id");
    for (const std::string key : {"family", "model", "stepping"}) {
        const std::string value = info.field(processor, key == "family" ? "cpu family" : key);
        numbers += value.empty() ? "" : fmt::format(" {} {}", key, value);
    }
    if (!info.field(processor, "cpu family").empty())
        return std::string(trimmed(numbers));
    const std::string ibm = ibm_z_name(info.field(processor, "processor 0"));
    return ibm.empty() ? riscv_name(info, processor) : ibm;
}

} // namespace

std::string arm_cpu_name(std::uint32_t midr) {
    const std::uint32_t id = midr >> 24U;
    const std::uint32_t part = midr >> 4U & 0xfffU;
    const std::string revision = fmt::format("r{}p{}", midr >> 20U & 0xfU, midr & 0xfU);
    const auto* const implementer = std::ranges::find(implementers, id, &Implementer::id);
    if (implementer == implementers.end())
        return fmt::format("Arm implementer {:#04x} part {:#05x} {}", id, part, revision);
    std::string_view name = name_in(implementer->parts, (midr >> 20U & 0xfU) << 12U | part);
    if (name.empty())
        name = name_in(implementer->parts, part);
    if (name.empty())
        return fmt::format("{} part {:#05x} {}", implementer->name, part, revision);
    // Arm's own parts are known without it.
    return fmt::format("{}{} {}", implementer == implementers.begin() ? "" : fmt::format("{} ", implementer->name),
                       name, revision);
}

std::vector<std::string> read_cpu_names(const SystemFiles& files, const std::vector<int>& ids) {
    const CpuInfo info(files);
    std::vector<std::string> names;
    for (const int id : ids)
        names.push_back(cpu_name(files, info, id));
    return names;
}

std::string device_tree_text(const SystemFiles& files, std::string_view property) {
    std::string text = files.text(fmt::format("/proc/device-tree/{}", property)).value_or("");
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n'))
        text.pop_back();
    std::ranges::replace(text, '\0', ',');
    return text;
}

std::string dmi_text(const SystemFiles& files, std::string_view field) {
    std::string text = files.line(fmt::format("/sys/class/dmi/id/{}", field)).value_or("");
    constexpr std::array<std::string_view, 9> placeholders{
        "default string",      "not applicable",         "not specified", "o.e.m.", "system manufacturer",
        "system product name", "to be filled by o.e.m.", "unknown",       "none"};
    return std::ranges::find(placeholders, lower_case(text)) == placeholders.end() ? text : "";
}

std::string read_machine_name(const SystemFiles& files) {
    if (std::string board = device_tree_text(files, "model"); !board.empty())
        return board;
    for (const auto& [maker, thing] :
         {std::pair("sys_vendor", "product_name"), std::pair("board_vendor", "board_name")}) {
        const std::string vendor = dmi_text(files, maker);
        const std::string product = dmi_text(files, thing);
        if (!product.empty())
            return vendor.empty() || product.starts_with(vendor) ? product : fmt::format("{} {}", vendor, product);
    }
    const auto of_z = [&](const char* key) { return files.field("/proc/sysinfo", key).value_or(""); };
    return std::string(trimmed(fmt::format("{} {} {}", of_z("Manufacturer"), of_z("Type"), of_z("Model"))));
}

} // namespace memtest
