#include "memtest/report/pages_got.hpp"

#include "memtest/base/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>

namespace memtest {
namespace {

constexpr std::string_view not_known = "not known";
constexpr std::string_view transparent = " transparent";
constexpr std::string_view between_kinds = " and ";
constexpr std::string_view between_threads = "; ";

std::string page_size(std::uint64_t bytes) {
    constexpr std::uint64_t gib = kib * mib;
    return bytes % gib == 0 ? fmt::format("{} GiB", bytes / gib) : human_size(bytes);
}

std::string text_of(const PagesGot& pages) {
    if (pages.page_bytes == 0 && pages.transparent_page_bytes == 0)
        return std::string(not_known);
    if (pages.transparent_percent == 0)
        return page_size(pages.page_bytes);
    if (pages.transparent_percent == 100)
        return page_size(pages.transparent_page_bytes) + std::string(transparent);
    return fmt::format("{}{}{}{} ({:.0f} % of the memory)", page_size(pages.page_bytes), between_kinds,
                       page_size(pages.transparent_page_bytes), transparent, pages.transparent_percent);
}

/// "2 MiB transparent (37 % of the memory)"; the share may be missing where it is all.
std::optional<PagesGot> parse_transparent(std::string_view text) {
    const std::size_t word = text.find(transparent);
    const auto page_bytes = parse_human_size(text.substr(0, word));
    if (word == std::string_view::npos || !page_bytes)
        return std::nullopt;
    PagesGot pages{.transparent_page_bytes = *page_bytes, .transparent_percent = 100};
    const std::string_view share = text.substr(word + transparent.size());
    if (share.empty())
        return pages;
    if (!share.starts_with(" (") || !share.ends_with(" % of the memory)") ||
        std::from_chars(share.data() + 2, share.data() + share.size(), pages.transparent_percent).ec != std::errc{} ||
        !(pages.transparent_percent >= 0 && pages.transparent_percent <= 100))
        return std::nullopt;
    return pages;
}

std::optional<PagesGot> parse_one(std::string_view text) {
    if (text == not_known)
        return PagesGot{};
    const std::size_t both = text.find(between_kinds);
    const bool only_transparent = both == std::string_view::npos && text.find(transparent) != std::string_view::npos;
    if (only_transparent)
        return parse_transparent(text);
    const auto page_bytes = parse_human_size(text.substr(0, both));
    if (!page_bytes || *page_bytes == 0)
        return std::nullopt;
    if (both == std::string_view::npos)
        return PagesGot{.page_bytes = *page_bytes};
    auto pages = parse_transparent(text.substr(both + between_kinds.size()));
    if (pages)
        pages->page_bytes = *page_bytes;
    return pages;
}

bool differ(const PagesGot& a, const PagesGot& b) {
    constexpr double usual_points = 10;
    const auto both_and_other = [](std::uint64_t one, std::uint64_t other) {
        return one != 0 && other != 0 && one != other;
    };
    return std::abs(a.transparent_percent - b.transparent_percent) > usual_points ||
           both_and_other(a.page_bytes, b.page_bytes) ||
           both_and_other(a.transparent_page_bytes, b.transparent_page_bytes);
}

} // namespace

std::string text_of_pages(const std::vector<PagesGot>& threads) {
    std::vector<std::string> texts;
    for (const PagesGot& pages : threads)
        texts.push_back(text_of(pages));
    if (texts.empty() || std::ranges::count(texts, texts.front()) == static_cast<std::ptrdiff_t>(texts.size()))
        return texts.empty() ? std::string(not_known) : texts.front();
    return fmt::format("{}", fmt::join(texts, between_threads));
}

std::optional<std::vector<PagesGot>> parse_pages(std::string_view text) {
    std::vector<PagesGot> threads;
    for (;;) {
        const std::size_t end = text.find(between_threads);
        const auto pages = parse_one(text.substr(0, end));
        if (!pages)
            return std::nullopt;
        threads.push_back(*pages);
        if (end == std::string_view::npos)
            return threads;
        text.remove_prefix(end + between_threads.size());
    }
}

bool pages_differ(const std::vector<PagesGot>& a, const std::vector<PagesGot>& b) {
    // Where all threads have the same, a file says it once.
    const auto of_thread = [](const std::vector<PagesGot>& threads, std::size_t thread) {
        return threads[threads.size() == 1 ? 0 : thread];
    };
    const std::size_t threads = std::max(a.size(), b.size());
    if (a.empty() || b.empty() || (a.size() != b.size() && std::min(a.size(), b.size()) > 1))
        return a.size() != b.size();
    for (std::size_t thread = 0; thread < threads; ++thread) {
        if (differ(of_thread(a, thread), of_thread(b, thread)))
            return true;
    }
    return false;
}

} // namespace memtest
