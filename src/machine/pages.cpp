#include "memtest/machine/pages.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/machine/system_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <ios>
#include <sstream>
#include <string_view>

namespace memtest {
namespace {

constexpr std::string_view transparent_directory = "/sys/kernel/mm/transparent_hugepage";
constexpr std::string_view reserved_directory = "/sys/kernel/mm/hugepages";

constexpr std::uint64_t largest_page = std::uint64_t{16} << 30U; // that any architecture has (arm64, POWER)

std::string human(std::uint64_t page_bytes) {
    return rounded_size(static_cast<double>(page_bytes));
}

/// @param where for the message @param directory of the reserve
void check_free(PageKind kind, std::uint64_t needed, std::uint64_t free, const std::string& where,
                const std::string& directory, const SystemFiles& files) {
    if (needed > free)
        throw usage_error(fmt::format("--pages {}: {} of {} {} needed{} and {} {} free; reserve more as "
                                      "root with: echo {} > {}/nr_hugepages",
                                      word_of(kind), counted(needed, "huge page"), human(page_bytes_of(kind, files)),
                                      needed == 1 ? "is" : "are", where, free, free == 1 ? "is" : "are",
                                      files.number(directory + "/nr_hugepages").value_or(0) + needed - free,
                                      directory));
}

std::string directory_of_reserved(std::uint64_t page) {
    return fmt::format("{}/hugepages-{}kB", reserved_directory, page / kib);
}

std::string directory_of_reserved(std::uint64_t page, int node) {
    return fmt::format("/sys/devices/system/node/node{}/hugepages/hugepages-{}kB", node, page / kib);
}

/// The pages in a directory that are free and not committed. Committed ones may be on any node.
std::optional<std::uint64_t> usable_reserved(const std::string& directory, std::uint64_t page,
                                             const SystemFiles& files) {
    const auto free = files.number(directory + "/free_hugepages");
    if (!free)
        return std::nullopt;
    return *free - std::min(*free, files.number(directory_of_reserved(page) + "/resv_hugepages").value_or(0));
}

void check_reserved(PageKind kind, std::uint64_t bytes_per_area, unsigned areas, const SystemFiles& files) {
    const std::uint64_t page = page_bytes_of(kind, files);
    const std::string directory = directory_of_reserved(page);
    const auto free = usable_reserved(directory, page, files);
    if (!free || !files.number(directory + "/nr_hugepages")) {
        std::string sizes;
        for (const std::string& name : files.names(reserved_directory)) {
            if (const auto size = leading_number(std::string_view(name).substr(name.find('-') + 1)))
                sizes += (sizes.empty() ? "" : ", ") + human(*size * kib);
        }
        throw usage_error(fmt::format("--pages {}: this kernel has no huge pages of {} (it has: {})", word_of(kind),
                                      human(page), sizes.empty() ? "none" : sizes));
    }
    check_free(kind, units_for(bytes_per_area, page) * areas, *free, "", directory, files);
}

/// The kernel promises an area its huge pages when it is mapped, but not that a node has them. Touching one page more
/// than the node has would end the program by a signal.
void check_reserved_on_nodes(PageKind kind, std::uint64_t bytes_per_area, const std::vector<int>& nodes,
                             const SystemFiles& files) {
    const std::uint64_t page = page_bytes_of(kind, files);
    for (const int node : nodes) {
        const std::string directory = directory_of_reserved(page, node);
        const auto areas = static_cast<std::uint64_t>(std::ranges::count(nodes, node));
        if (const auto free = files.number(directory + "/free_hugepages"))
            check_free(kind, units_for(bytes_per_area, page) * areas, *free, fmt::format(" on node {}", node),
                       directory, files);
    }
}

/// Whether they are switched off for this process, whatever the system's policy is. Linux 5.0 and later tell, and say
/// the same where there are none at all.
bool is_denied_transparent_pages(const SystemFiles& files) {
    return files.field("/proc/self/status", "THP_enabled") == "0" &&
           files.text(fmt::format("{}/enabled", transparent_directory));
}

void check_transparent(const SystemFiles& files) {
    if (is_denied_transparent_pages(files))
        throw usage_error("--pages thp: this process is denied transparent huge pages (prctl PR_SET_THP_DISABLE); run "
                          "it where they are allowed");
    if (transparent_policy(files) == "never")
        throw usage_error(fmt::format("--pages thp: this system does not give transparent huge pages; allow them as "
                                      "root with: echo madvise > {}/enabled",
                                      transparent_directory));
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
        return kib * mib;
    case PageKind::transparent_huge: {
        const auto bytes = files.number(fmt::format("{}/hpage_pmd_size", transparent_directory)).value_or(0);
        const bool is_page = std::has_single_bit(bytes) && bytes > base_page_bytes() && bytes <= largest_page;
        return static_cast<std::size_t>(is_page ? bytes : 2 * mib);
    }
    case PageKind::system_default:
    case PageKind::base:
        break;
    }
    return base_page_bytes();
}

std::string transparent_policy(const SystemFiles& files) {
    if (is_denied_transparent_pages(files))
        return "never";
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
    const auto usable = usable_reserved(directory_of_reserved(page), page, files);
    if (!usable)
        return std::nullopt;
    return page * usable_reserved(directory_of_reserved(page, node), page, files).value_or(*usable);
}

GrantedPages parse_smaps(const std::string& smaps, std::uintptr_t address) {
    GrantedPages granted;
    std::istringstream lines(smaps);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = ' ';
        if (words >> std::hex >> begin >> dash >> end && dash == '-') { // "begin-end perms ..." opens a mapping
            inside = begin <= address && address < end;
            continue;
        }
        const std::size_t colon = line.find(':');
        if (!inside || colon == std::string::npos)
            continue;
        const std::string_view key = std::string_view(line).substr(0, colon);
        const std::uint64_t bytes = leading_number(trimmed(std::string_view(line).substr(colon + 1))).value_or(0) * kib;
        if (key == "Size")
            granted.total_bytes = bytes;
        else if (key == "KernelPageSize" && std::has_single_bit(bytes) && bytes <= largest_page)
            granted.page_bytes = static_cast<std::size_t>(bytes);
        else if (key == "AnonHugePages" || key == "ShmemPmdMapped" || key == "FilePmdMapped")
            granted.transparent_bytes = granted.transparent_bytes.value_or(0) + bytes;
    }
    return granted;
}

} // namespace memtest
