#include "memtest/report/reported_caches.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"

#include <fmt/format.h>

#include <optional>
#include <sstream>

namespace memtest {
namespace {

/// One entry: "L3 32 MiB shared by 16".
std::optional<ReportedCache> parse_cache(const std::string& text) {
    std::istringstream words(text);
    std::string name;
    std::string size;
    std::string unit;
    std::string shared;
    std::string by;
    words >> name >> size >> unit;
    const auto level = name.starts_with('L') ? leading_number(std::string_view(name).substr(1)) : std::nullopt;
    if (!level || *level > 9)
        return std::nullopt;
    ReportedCache cache{.level = static_cast<int>(*level), .data_only = name.ends_with('d')};
    if (int sharers = 0; words >> shared >> by >> sharers && sharers > 0 && shared == "shared" && by == "by")
        cache.shared_by = sharers;
    const auto bytes = parse_human_size(size + " " + unit);
    cache.size_bytes = bytes.value_or(0);
    return bytes ? std::optional(cache) : std::nullopt;
}

} // namespace

std::string text_of_caches(std::span<const ReportedCache> caches) {
    return joined(caches, ", ", [](const ReportedCache& cache) {
        return fmt::format("L{}{} {}{}", cache.level, cache.data_only ? "d" : "", human_size(cache.size_bytes),
                           cache.shared_by > 1 ? fmt::format(" shared by {}", cache.shared_by) : "");
    });
}

std::optional<std::vector<ReportedCache>> parse_caches(std::string_view text) {
    std::vector<ReportedCache> caches;
    std::istringstream entries{std::string(text)};
    for (std::string entry; std::getline(entries, entry, ',');) {
        if (const auto cache = parse_cache(entry))
            caches.push_back(*cache);
    }
    return caches.empty() ? std::nullopt : std::optional(caches);
}

} // namespace memtest
