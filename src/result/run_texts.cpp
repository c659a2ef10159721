#include "memtest/result/run_description.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace memtest {
namespace {

constexpr std::string_view not_known = "not known";
constexpr std::string_view transparent = " transparent";

std::string page_size(std::uint64_t bytes) {
    constexpr std::uint64_t gib = kib * mib;
    return bytes % gib == 0 ? fmt::format("{} GiB", bytes / gib) : human_size(bytes);
}

std::string text_of_thread(const PagesGot& pages) {
    if (!pages.are_known())
        return std::string(not_known);
    if (pages.transparent_percent == 0)
        return page_size(pages.page_bytes);
    if (pages.transparent_percent == 100)
        return page_size(pages.transparent_page_bytes) + std::string(transparent);
    return fmt::format("{} and {}{} ({:.0f} % of the memory)", page_size(pages.page_bytes),
                       page_size(pages.transparent_page_bytes), transparent, pages.transparent_percent);
}

bool thread_differs(const PagesGot& a, const PagesGot& b) {
    constexpr double usual_points = 10;
    const auto both_and_other = [](std::uint64_t one, std::uint64_t other) {
        return one != 0 && other != 0 && one != other;
    };
    return std::abs(a.transparent_percent - b.transparent_percent) > usual_points ||
           both_and_other(a.page_bytes, b.page_bytes) ||
           both_and_other(a.transparent_page_bytes, b.transparent_page_bytes);
}

/// A word, quoted for a shell if needed.
std::string quoted(const std::string& word) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:=+/%@";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos)
        return word;
    std::string text = "'";
    for (const char c : escaped(word))
        text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

} // namespace

std::string text_of(const std::vector<std::string>& arguments) {
    return joined(arguments, " ", quoted);
}

std::string text_of(const std::vector<ScaledClock>& clocks) {
    return joined(clocks, "; ", [](const ScaledClock& clock) {
        return fmt::format("{:.3f} to {:.3f} GHz{}{}", clock.lowest_ghz, clock.highest_ghz,
                           clock.current_ghz ? fmt::format(", {:.3f} GHz before the first size", *clock.current_ghz)
                                             : "",
                           clock.governor.empty() ? "" : ", governor " + clock.governor);
    });
}

std::string text_of(const MemoryPolicy& policy) {
    return policy.nodes.empty() ? policy.mode : fmt::format("{} {}", policy.mode, format_ids(policy.nodes));
}

std::string text_of(const std::vector<CoreKind>& kinds) {
    return joined(kinds, ", ",
                  [](const CoreKind& kind) { return fmt::format("{} {}", kind.name, format_ids(kind.processors)); });
}

std::string text_of(const std::vector<NumaNode>& nodes) {
    return joined(nodes, ", ", [](const NumaNode& node) {
        return fmt::format("{}{}{}", node.id,
                           node.memory.empty() ? "" : fmt::format(" without processors ({})", node.memory),
                           node.cache_bytes == 0 ? ""
                                                 : fmt::format(" behind a cache of {}",
                                                               rounded_size(static_cast<double>(node.cache_bytes))));
    });
}

std::string text_of(const Warmup& warmup) {
    return fmt::format("{}{}", warmup.laps, warmup.most_ms ? fmt::format(", at most {} ms", *warmup.most_ms) : "");
}

std::string text_of(const std::vector<PagesGot>& threads) {
    const std::string first = threads.empty() ? std::string(not_known) : text_of_thread(threads.front());
    const auto is_as_first = [&](const PagesGot& pages) { return text_of_thread(pages) == first; };
    return std::ranges::all_of(threads, is_as_first) ? first : joined(threads, "; ", text_of_thread);
}

std::string pages_in_words(const RunDescription& run) {
    if (!run.pages_got || run.pages_got->empty() || !run.pages_got->front().are_known())
        return "unknown pages";
    const std::string kind = text_of(*run.pages_got);
    return fmt::format("{}{} pages", kind, kind.ends_with("transparent") ? " huge" : "");
}

bool pages_differ(const std::vector<PagesGot>& a, const std::vector<PagesGot>& b) {
    if (a.empty() || b.empty())
        return a.size() != b.size();
    for (std::size_t thread = 0; thread < std::max(a.size(), b.size()); ++thread) {
        if (thread_differs(a[std::min(thread, a.size() - 1)], b[std::min(thread, b.size() - 1)]))
            return true;
    }
    return false;
}

std::string text_of(const NodesUsed& nodes) {
    return fmt::format("{} ({})", format_ids(nodes.ids),
                       nodes.verified ? "verified" : "not verified: the kernel does not tell where memory is");
}

std::string text_of(const std::vector<ReportedCache>& caches) {
    return joined(caches, ", ", [](const ReportedCache& cache) {
        return fmt::format("L{}{} {}{}", cache.level, cache.data_only ? "d" : "", human_size(cache.size_bytes),
                           cache.shared_by > 1 ? fmt::format(" shared by {}", cache.shared_by) : "");
    });
}

std::string text_of(const RunEnd& end) {
    return fmt::format("{} of {} {}{}", end.measured, end.planned, end.things(),
                       end.interrupted ? ", interrupted" : "");
}

} // namespace memtest
