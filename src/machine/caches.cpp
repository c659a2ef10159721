#include "memtest/machine/caches.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace memtest {

std::vector<Cache> read_caches(const SystemFiles& files, int processor) {
    const std::string directory = fmt::format("/sys/devices/system/cpu/cpu{}/cache", processor);
    std::vector<Cache> caches;
    for (const std::string& index : files.names(directory)) {
        const auto file = [&](std::string_view name) { return fmt::format("{}/{}/{}", directory, index, name); };
        const std::string type = files.line(file("type")).value_or("");
        const std::uint64_t size = parse_human_size(files.line(file("size")).value_or("")).value_or(0);
        if ((type != "Data" && type != "Unified") || size == 0)
            continue;
        caches.push_back({.level = static_cast<int>(files.number(file("level")).value_or(0)),
                          .data_only = type == "Data",
                          .size_bytes = size,
                          .line_bytes = static_cast<std::size_t>(files.number(file("coherency_line_size")).value_or(0)),
                          .shared_by = parse_distinct_ids(files.line(file("shared_cpu_list")).value_or(""))
                                           .value_or(std::vector<int>{processor})});
    }
    std::ranges::sort(caches, {}, &Cache::level);
    return caches;
}

std::string cache_name(const Cache& cache) {
    return fmt::format("L{}{}", cache.level, cache.data_only ? "d" : "");
}

} // namespace memtest
