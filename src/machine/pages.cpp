#include "memtest/machine/pages.hpp"

#include "memtest/base/capped.hpp"
#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <vector>

namespace memtest {
namespace {

constexpr std::uint64_t gib = kib * mib;

constexpr std::string_view transparent_directory = "/sys/kernel/mm/transparent_hugepage";
constexpr std::string_view reserved_directory = "/sys/kernel/mm/hugepages";

std::string human(std::uint64_t bytes) {
    for (const auto& [unit, name] : {std::pair{gib, "GiB"}, std::pair{mib, "MiB"}, std::pair{kib, "KiB"}}) {
        if (bytes >= unit && bytes % unit == 0)
            return fmt::format("{} {}", bytes / unit, name);
    }
    return fmt::format("{} B", bytes);
}

std::string directory_of_reserved(std::uint64_t page) {
    return fmt::format("{}/hugepages-{}kB", reserved_directory, page / kib);
}

std::string directory_of_reserved(std::uint64_t page, int node) {
    return fmt::format("/sys/devices/system/node/node{}/hugepages/hugepages-{}kB", node, page / kib);
}

/// The pages that are free and not spoken for.
std::optional<std::uint64_t> usable_reserved(std::uint64_t page, const SystemFiles& files) {
    const std::string directory = directory_of_reserved(page);
    const auto free = files.number(directory + "/free_hugepages");
    if (!free)
        return std::nullopt;
    return *free - std::min(*free, files.number(directory + "/resv_hugepages").value_or(0));
}

void check_reserved(PageKind kind, std::uint64_t bytes_per_area, unsigned areas, const SystemFiles& files) {
    const std::uint64_t page = page_bytes_of(kind, files);
    const char* asked = kind == PageKind::huge_2m ? "--pages 2m" : "--pages 1g";
    const std::string directory = directory_of_reserved(page);
    const auto reserved = files.number(directory + "/nr_hugepages");
    const auto free = usable_reserved(page, files);
    if (!reserved || !free) {
        std::string sizes;
        for (const std::string& name : files.names(reserved_directory)) {
            if (const auto size = leading_number(std::string_view(name).substr(name.find('-') + 1)))
                sizes += (sizes.empty() ? "" : ", ") + human(*size * kib);
        }
        throw usage_error(fmt::format("{}: this kernel has no huge pages of {} (it has: {})", asked, human(page),
                                      sizes.empty() ? "none" : sizes));
    }
    const std::uint64_t usable = *free;
    const std::uint64_t needed = units_for(bytes_per_area, page) * areas;
    if (needed > usable)
        throw usage_error(fmt::format("{}: {} huge pages of {} are needed and {} are free; reserve them as root with: "
                                      "echo {} > {}/nr_hugepages",
                                      asked, needed, human(page), usable, *reserved + needed - usable, directory));
}

/// The kernel promises an area its pages before it is touched, but not those of a node: touching one more than the node
/// has would end the program by a signal.
void check_reserved_on_nodes(PageKind kind, std::uint64_t bytes_per_area, const std::vector<int>& nodes,
                             const SystemFiles& files) {
    const std::uint64_t page = page_bytes_of(kind, files);
    for (const int node : nodes) {
        const std::string directory = directory_of_reserved(page, node);
        const auto free = files.number(directory + "/free_hugepages");
        const auto areas = static_cast<std::uint64_t>(std::ranges::count(nodes, node));
        const std::uint64_t needed = units_for(bytes_per_area, page) * areas;
        if (free && needed > *free)
            throw usage_error(
                fmt::format("--pages {}: {} huge pages of {} are needed on node {} and {} are free; reserve them as "
                            "root with: echo {} > {}/nr_hugepages",
                            kind == PageKind::huge_2m ? "2m" : "1g", needed, human(page), node, *free,
                            files.number(directory + "/nr_hugepages").value_or(0) + needed - *free, directory));
    }
}

void check_transparent(const SystemFiles& files) {
    const std::string enabled = fmt::format("{}/enabled", transparent_directory);
    if (files.text(enabled).value_or("").find("[never]") != std::string::npos)
        throw usage_error(fmt::format("--pages thp: this system does not give transparent huge pages; allow them as "
                                      "root with: echo madvise > {}",
                                      enabled));
}

std::optional<std::uintptr_t> parse_hex(std::string_view text) {
    std::uintptr_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// Whether a line of smaps opens a mapping ("begin-end perms ..."), and whether the address lies in it.
struct MappingLine {
    bool opens = false;
    bool contains = false;
};

MappingLine read_mapping_line(std::string_view line, std::uintptr_t address) {
    const std::size_t dash = line.find('-');
    const std::size_t blank = line.find(' ');
    if (dash == std::string_view::npos || blank == std::string_view::npos || dash > blank)
        return {};
    const auto begin = parse_hex(line.substr(0, dash));
    const auto end = parse_hex(line.substr(dash + 1, blank - dash - 1));
    if (!begin || !end)
        return {};
    return {.opens = true, .contains = *begin <= address && address < *end};
}

} // namespace

bool is_all_in_pages_of(const GrantedPages& granted, std::size_t page_bytes) {
    if (granted.page_bytes == 0 || granted.page_bytes >= page_bytes)
        return true;
    return granted.transparent_page_bytes >= page_bytes && granted.transparent_bytes.value_or(0) >= granted.total_bytes;
}

std::size_t base_page_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t page_bytes_of(PageKind kind, const SystemFiles& files) {
    switch (kind) {
    case PageKind::huge_2m:
        return 2 * mib;
    case PageKind::huge_1g:
        return gib;
    case PageKind::transparent_huge:
        return static_cast<std::size_t>(
            files.number(fmt::format("{}/hpage_pmd_size", transparent_directory)).value_or(2 * mib));
    case PageKind::system_default:
    case PageKind::base:
        break;
    }
    return base_page_bytes();
}

std::string transparent_policy(const SystemFiles& files) {
    const std::string enabled = files.text(fmt::format("{}/enabled", transparent_directory)).value_or("");
    const std::size_t begin = enabled.find('[') + 1; // "always [madvise] never"
    const std::size_t end = enabled.find(']', begin);
    return begin == 0 || end == std::string::npos ? "" : enabled.substr(begin, end - begin);
}

void check_pages_available(PageKind kind, std::uint64_t bytes_per_area, unsigned areas, const std::vector<int>& nodes,
                           const SystemFiles& files) {
    if (is_reserved(kind)) {
        check_reserved_on_nodes(kind, bytes_per_area, nodes, files);
        check_reserved(kind, bytes_per_area, areas, files);
    } else if (kind == PageKind::transparent_huge) {
        check_transparent(files);
    }
}

std::optional<std::uint64_t> free_reserved_bytes(PageKind kind, int node, const SystemFiles& files) {
    const std::uint64_t page = page_bytes_of(kind, files);
    const auto usable = usable_reserved(page, files);
    if (!usable)
        return std::nullopt;
    return std::min(*usable, files.number(directory_of_reserved(page, node) + "/free_hugepages").value_or(*usable)) *
           page;
}

GrantedPages parse_smaps(const std::string& smaps, std::uintptr_t address) {
    GrantedPages granted;
    std::istringstream lines(smaps);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (const MappingLine mapping = read_mapping_line(line, address); mapping.opens) {
            inside = mapping.contains;
            continue;
        }
        const std::size_t colon = line.find(':');
        if (!inside || colon == std::string::npos)
            continue;
        const std::string_view key = std::string_view(line).substr(0, colon);
        const std::uint64_t bytes = leading_number(trimmed(std::string_view(line).substr(colon + 1))).value_or(0) * kib;
        if (key == "Size")
            granted.total_bytes = bytes;
        else if (key == "KernelPageSize")
            granted.page_bytes = static_cast<std::size_t>(bytes);
        else if (key == "AnonHugePages")
            granted.transparent_bytes = bytes;
    }
    return granted;
}

} // namespace memtest
