#include "memtest/kinds/prefetch.hpp"

#include <algorithm>
#include <string_view>

namespace memtest {
namespace {

using Type = Column::Type;

template<class Enum>
constexpr Column word_of_row(std::string_view name, std::string_view member, std::string_view meaning) {
    return {.name = name,
            .member = member,
            .meaning = meaning,
            .type = Type::word,
            .needed = true,
            .longest_word = longest_word<Enum>()};
}

constexpr Column optional_count(std::string_view name, std::string_view member, std::string_view meaning) {
    return {.name = name, .member = member, .meaning = meaning, .type = Type::count, .lowest = 1};
}

constexpr Column latency_figure(std::string_view name, std::string_view member, std::string_view meaning) {
    return {.name = name, .member = member, .meaning = meaning};
}

constexpr std::uint64_t usual_page_bytes = 4096;

} // namespace

const KindOf<PatternFigure> prefetch_kind(
    {.command = "prefetch",
     .findings = {{"prefetchers", false}, {"remarks"}},
     .parts = {{"prefetch", "prefetch", "prefetchers"}}},
    {member_field<&PatternFigure::pattern, PatternFigure>(
         word_of_row<Pattern>("Pattern", "pattern", "how the lines of successive accesses lie")),
     member_field<&PatternFigure::pages, PatternFigure>(word_of_row<PageKind>("Pages", "pages", "the kind of pages")),
     member_field<&PatternFigure::stride_bytes, PatternFigure>(
         optional_count("Stride (B)", "stride_bytes", "from line to line; empty for random lines")),
     member_field<&PatternFigure::hops, PatternFigure>(
         optional_count("Hops", "hops", "accesses since the pattern began; the latency is that of their second half")),
     member_field<&PatternFigure::latency_ns, PatternFigure>(
         latency_figure("Access latency (ns)", "latency_ns", "time of an access, median over the rounds")),
     member_field<&PatternFigure::low_ns, PatternFigure>(latency_figure("Low (ns)", "low_ns", "min over the rounds")),
     member_field<&PatternFigure::high_ns, PatternFigure>(latency_figure("High (ns)", "high_ns",
                                                                         "upper quartile over the rounds")),
     member_field<&PatternFigure::random_percent, PatternFigure>(
         {.name = "Of random (%)",
          .member = "random_percent",
          .meaning = "the latency as a percentage of that of the random pattern in the same pages",
          .digits = decimals(1)})});

Prefetchers prefetchers_in(const Result& prefetch) {
    if (is_cut_short(prefetch))
        return {};
    const auto& pages = prefetch.run.pages_got;
    const std::uint64_t page_bytes = pages && !pages->empty() ? pages->front().page_bytes : 0;
    return read_prefetchers(prefetch.rows_of<PatternFigure>(), page_bytes == 0 ? usual_page_bytes : page_bytes);
}

Notice notice_of(const Prefetchers& found) {
    List strides;
    const auto bytes = [](const FollowedStrides& followed) {
        return followed.is_known ? Value(followed.up_to_bytes) : Value();
    };
    for (const Prefetchers::InPages& in_pages : found.strides)
        strides.emplace_back(Members{{"pages", word_of(in_pages.pages)},
                                     {"forward_bytes", bytes(in_pages.forward)},
                                     {"backward_bytes", bytes(in_pages.backward)},
                                     {"longest_tried", in_pages.forward.is_longest && in_pages.backward.is_longest}});
    return {Code::prefetchers,
            {{"strides", strides.empty() ? Value() : Value(std::move(strides))},
             {"crosses_pages", word_of(found.crosses_pages)},
             {"starts_after_hops", as_value(found.starts_after_hops)},
             {"fetches_pairs", word_of(found.pairs)},
             {"fetches_next_line", word_of(found.next_line)},
             {"learns_laps", word_of(found.learns_laps)},
             {"follows_addresses", word_of(found.follows_addresses)}}};
}

Findings prefetch_findings(const Prefetchers& found) {
    const Notice notice = notice_of(found);
    return {.told = true, .list = {{"prefetchers", notice, {{"prefetchers", notice.values}}}}};
}

} // namespace memtest
