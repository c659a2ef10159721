#include "memtest/machine/control_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

namespace memtest {
namespace {

struct GroupFolder {
    std::string path;
    bool is_version_2 = false;

    /// The path of a file with another name in each version.
    [[nodiscard]] std::string file(std::string_view of_version_2, std::string_view of_version_1) const {
        return fmt::format("{}/{}", path, is_version_2 ? of_version_2 : of_version_1);
    }
};

/// The folders of the groups of this process that have a controller, with their ancestors. Inside a container the path
/// may name a group that is not visible there. Then the root of the mount is the container's own group, so the root
/// always counts.
std::vector<GroupFolder> group_folders(const SystemFiles& files, std::string_view controller) {
    std::vector<GroupFolder> folders;
    std::istringstream lines(files.text("/proc/self/cgroup").value_or(""));
    for (std::string line; std::getline(lines, line);) { // hierarchy:controllers:path
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
        const bool is_version_2 = controllers == ",,";
        if (!is_version_2 && controllers.find(fmt::format(",{},", controller)) == std::string::npos)
            continue;
        std::vector<std::string> mounts{"/sys/fs/cgroup"};
        if (!is_version_2) // by its own name, or by those of all controllers of the hierarchy
            mounts = {fmt::format("/sys/fs/cgroup/{}", controller),
                      fmt::format("/sys/fs/cgroup/{}", line.substr(first + 1, second - first - 1))};
        for (const std::string& mount : mounts) {
            folders.push_back({mount, is_version_2});
            for (std::filesystem::path group = line.substr(second + 1); group.has_relative_path();
                 group = group.parent_path())
                folders.push_back({mount + group.string(), is_version_2});
        }
    }
    return folders;
}

template<class Number>
void keep_smaller(std::optional<Number>& smallest, std::optional<Number> candidate) {
    if (candidate && (!smallest || *candidate < *smallest))
        smallest = candidate;
}

/// A value from a file of lines "key value"; 0 if it is missing.
std::uint64_t stat_value(const SystemFiles& files, const std::string& path, std::string_view key) {
    std::istringstream lines(files.text(path).value_or(""));
    std::string name;
    for (std::uint64_t value = 0; lines >> name >> value;) {
        if (name == key)
            return value;
    }
    return 0;
}

} // namespace

std::optional<std::uint64_t> left_in_control_groups(const SystemFiles& files) {
    std::optional<std::uint64_t> least;
    for (const GroupFolder& group : group_folders(files, "memory")) {
        // Above memory.high every allocation is slowed down, above memory.max it is refused.
        std::optional<std::uint64_t> limit = files.number(group.file("memory.max", "memory.limit_in_bytes"));
        if (group.is_version_2)
            keep_smaller(limit, files.number(group.path + "/memory.high"));
        const auto usage = files.number(group.file("memory.current", "memory.usage_in_bytes"));
        if (!limit || !usage)
            continue;
        // Used page cache that is freed on demand.
        const std::uint64_t reclaimable = stat_value(files, group.path + "/memory.stat",
                                                     group.is_version_2 ? "inactive_file" : "total_inactive_file");
        const std::uint64_t held = *usage - std::min(*usage, reclaimable);
        keep_smaller(least, std::optional(*limit - std::min(*limit, held)));
    }
    return least;
}

std::optional<double> cpu_quota(const SystemFiles& files) {
    std::optional<double> least;
    for (const GroupFolder& group : group_folders(files, "cpu")) {
        // "50000 100000" or "max 100000", in microseconds; in version 1 each in its own file, and -1 for none
        std::istringstream limit(files.line(group.file("cpu.max", "cpu.cfs_quota_us")).value_or(""));
        double quota = 0;
        double period = static_cast<double>(files.number(group.path + "/cpu.cfs_period_us").value_or(0));
        limit >> quota;
        if (group.is_version_2)
            limit >> period;
        if (quota > 0 && period > 0)
            keep_smaller(least, std::optional(quota / period));
    }
    return least;
}

ThrottledPeriods throttled_periods(const SystemFiles& files) {
    ThrottledPeriods periods;
    for (const GroupFolder& group : group_folders(files, "cpu"))
        periods.emplace(group.path, stat_value(files, group.path + "/cpu.stat", "nr_throttled"));
    return periods;
}

std::uint64_t periods_between(const ThrottledPeriods& before, const ThrottledPeriods& after) {
    std::uint64_t most = 0; // a child is stopped with its ancestor
    for (const auto& [group, periods] : after) {
        const auto known = before.find(group);
        if (known != before.end() && periods > known->second)
            most = std::max(most, periods - known->second);
    }
    return most;
}

} // namespace memtest
