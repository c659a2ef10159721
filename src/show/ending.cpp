#include "memtest/show/ending.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/matrix.hpp"
#include "memtest/kinds/prefetch.hpp"
#include "memtest/kinds/tail.hpp"
#include "memtest/kinds/translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

using Cells = std::vector<std::string>;

/// "1.08", "14.1", "154".
std::string three_digits(double figure) {
    const int decimals = figure < 9.995 ? 2 : figure < 99.95 ? 1 : 0;
    return fixed(figure, decimals);
}

std::string in_ns(std::optional<double> ns) {
    return ns ? three_digits(*ns) + " ns" : "";
}

/// With its quartiles if its visits do not agree.
std::string in_ns(const LoadPoint& point) {
    return point.unsettled && point.latency_low_ns && point.latency_high_ns
               ? fmt::format("{} ({} to {}) ns", three_digits(point.latency_ns), three_digits(*point.latency_low_ns),
                             three_digits(*point.latency_high_ns))
               : in_ns(std::optional(point.latency_ns));
}

/// "0.5 to 1.5": in the unit of the best size.
std::string range_in_unit(double low_kib, double high_kib, const std::string& best) {
    const auto unit = static_cast<double>(bytes_in_unit(best.substr(best.rfind(' ') + 1)).value_or(1));
    const auto number = [&](double size_kib) {
        return text_of(size_kib * static_cast<double>(kib) / unit, significant(3));
    };
    return fmt::format("{} to {}", number(low_kib), number(high_kib));
}

std::string size_of_kib(double size_kib) {
    return rounded_size(size_kib * static_cast<double>(kib));
}

std::string measured_capacity_of(const LevelRow& row) {
    if (!row.capacity_low_kib)
        return "not known";
    if (!row.capacity_high_kib)
        return "at least " + size_of_kib(*row.capacity_low_kib);
    if (row.capacity_best_kib) {
        const std::string best = size_of_kib(*row.capacity_best_kib);
        return *row.capacity_low_kib == *row.capacity_high_kib
                   ? best
                   : fmt::format("{} ({})", best, range_in_unit(*row.capacity_low_kib, *row.capacity_high_kib, best));
    }
    return size_range(*row.capacity_low_kib * kib, *row.capacity_high_kib * kib);
}

/// "32 MiB, 9 (6 to 12) usable": in the unit of the reported size where that is the same.
std::string usable_part_of(const LevelRow& row, const std::string& reported) {
    std::string measured = measured_capacity_of(row);
    const std::string unit = reported.substr(reported.rfind(' '));
    if (const std::size_t at = measured.find(unit); at != std::string::npos)
        measured.erase(at, unit.size());
    return fmt::format("{}, {} usable", reported, measured);
}

/// The capacity that system and curve agree on, or both.
std::string uncontested_capacity_of(const LevelRow& row) {
    if (!row.reported_kib)
        return measured_capacity_of(row);
    const auto reported_kib = static_cast<double>(*row.reported_kib);
    const std::string reported = size_of_kib(reported_kib);
    if (!row.is_shown())
        return reported + ", not shown";
    if (row.capacity_best_kib == reported_kib)
        return reported;
    return row.capacity_high_kib && *row.capacity_high_kib <= reported_kib
               ? usable_part_of(row, reported)
               : fmt::format("{}, reported {}", measured_capacity_of(row), reported);
}

std::string capacity_of(const LevelRow& row, bool has_report) {
    if (row.is_memory())
        return "";
    const bool is_not_reported = has_report && !row.reported_kib;
    return uncontested_capacity_of(row) + (is_not_reported ? ", not reported" : "") +
           (row.contested_to_kib ? ", contested" : "");
}

Cells level_cells_of(const LevelRow& row, bool has_report) {
    const auto sure = [](std::optional<Confidence> confidence) {
        return confidence ? std::string(word_of(*confidence)) : "";
    };
    return {row.is_memory() ? "Memory" : row.level,
            capacity_of(row, has_report),
            sure(row.capacity_confidence),
            in_ns(row.latency_ns),
            row.latency_cycles ? three_digits(*row.latency_cycles) : "",
            sure(row.latency_confidence)};
}

Ending ending_of_sweep(const Result& sweep, bool translation_is_off) {
    const std::vector<LevelReport> reports = report_levels(sweep, translation_is_off);
    Ending ending{.table = table_of(reports)};
    for (const LevelReport& report : reports) {
        for (const Notice& remark : remarks_on(report)) {
            if (std::ranges::find(ending.notes, remark) == ending.notes.end())
                ending.notes.push_back(remark);
        }
    }
    return ending;
}

Ending ending_of_tlb(const Result& tlb) {
    return {.table = table_of(read_tlb(tlb))};
}

Ending ending_of_loaded(const Result& loaded) {
    Ending ending{.table = {.rows = {{"", "Bandwidth", "Latency", "vs idle"}}, .right = "lrrr"}};
    const auto curves = load_curves_of(loaded);
    for (const auto& [write_percent, points] : curves) {
        const LoadCurve curve = read_load_curve(points);
        const std::string writes =
            curves.size() > 1 ? fmt::format("writes {} %", write_percent.value_or(0)) : std::string();
        const std::string which = writes.empty() ? "" : ", " + writes;
        const auto unloaded_ns = curve.unloaded_ns();
        if (curve.awake_ns)
            ending.table.rows.front().back() = "vs awake";
        const auto add = [&](const std::string& name, const std::optional<LoadPoint>& point) {
            if (point)
                ending.table.rows.push_back({name + which, three_digits(point->bytes_per_ns) + " GB/s", in_ns(*point),
                                             unloaded_ns ? fixed(point->latency_ns / *unloaded_ns, 2) + "x" : ""});
        };
        const auto add_idle = [&](const std::string& name, const std::optional<double>& latency_ns) {
            if (latency_ns)
                ending.table.rows.push_back({name + which, "", in_ns(latency_ns), ""});
        };
        add_idle("Idle", curve.idle_ns);
        add_idle("Awake", curve.awake_ns);
        if (!curve.reaches_full_load || !curve.knee || curve.knee->bytes_per_ns < curve.peak->bytes_per_ns)
            add("Knee", curve.knee);
        if (const std::string sentence = load_sentence(curve); !sentence.empty())
            ending.sentence += fmt::format("{}{}{}", ending.sentence.empty() ? "" : "\n",
                                           writes.empty() ? "" : capitalised(writes) + ": ", sentence);
        if (curve.reaches_full_load)
            add("Peak", curve.peak);
        add_idle("Idle again", curve.idle_last_ns);
    }
    return ending;
}

/// The latency, whether it changed, and what that means.
std::string sentence_on_pair(const CoresRow& row, const std::vector<Notice>& remarks) {
    const bool has_moved = std::ranges::count(remarks, Code::pairs_moved, &Notice::code) > 0;
    const bool is_steady = !row.low_ns || !row.high_ns || *row.high_ns < 1.5 * *row.low_ns;
    const std::string range =
        row.low_ns && row.high_ns ? fmt::format(" ({:.1f} to {:.1f} ns)", *row.low_ns, *row.high_ns) : "";
    return fmt::format("A line takes {:.1f} ns from processor {} to {}{}", *row.latency_ns, row.owner, row.reader,
                       has_moved ? fmt::format(", but that changed during the run{}: the hypervisor moves them, so "
                                               "work that they share is now near, now far.",
                                               range)
                       : is_steady
                           ? fmt::format(", and that did not change during the run{}: they stayed where they "
                                         "were.",
                                         range)
                           : fmt::format("; some moments differ{}: other work was in the way, and most count.", range));
}

Ending ending_of_cores(const Result& cores) {
    const CoresReport report = stored_cores(cores);
    Ending ending;
    for (const Finding& finding : cores_findings(report).list) {
        if (!finding.is_remark)
            ending.sentence +=
                fmt::format("{}Groups: {}.", ending.sentence.empty() ? "" : "\n", sentence_of(finding.notice));
    }
    if (report.pairs.size() == 1)
        ending.sentence = sentence_on_pair(
            *std::ranges::find_if(cores.rows_of<CoresRow>(), &std::optional<double>::has_value, &CoresRow::latency_ns),
            cores.remarks);
    else if (ending.sentence.empty() && !report.pairs.empty())
        ending.sentence = "Groups: not known.";
    return ending;
}

/// The rows that have the figure, in its order.
std::vector<NodesRow> sorted_by(std::optional<double> NodesRow::*figure, std::vector<NodesRow> rows) {
    std::erase_if(rows, [figure](const NodesRow& row) { return !(row.*figure); });
    std::ranges::sort(rows, {}, figure);
    return rows;
}

/// With its noise, if that is known.
std::string sentence_on_one_pair(const NodesRow& row, const std::optional<LargestSize>& size) {
    const double share = row.visits_percent.value_or(0) / 100;
    return fmt::format(
        "{} takes {:.1f} ns{}{}.",
        row.processors_of == row.memory_of
            ? "There is one node: an access to its memory"
            : fmt::format("An access from node {} to memory of node {}", row.processors_of, row.memory_of),
        *row.latency_ns, size ? fmt::format(" over {}", rounded_size(static_cast<double>(size->bytes))) : "",
        row.visits_percent ? fmt::format(", and its visits agree to {:.1f} ns", share * *row.latency_ns) : "");
}

Ending ending_of_nodes(const Result& nodes) {
    const bool only_one = nodes.row_count() == 1;
    const auto with_nodes = [](const std::string& figure, const NodesRow& row) {
        return fmt::format("{} from node {} to memory of node {}", figure, row.processors_of, row.memory_of);
    };
    const auto ns = [&](const NodesRow& row) { return with_nodes(fixed(row.latency_ns, 1) + " ns", row); };
    const auto gb_s = [&](const NodesRow& row) { return with_nodes(three_digits(*row.bytes_per_ns) + " GB/s", row); };
    std::vector<std::string> sentences;
    if (const auto rows = sorted_by(&NodesRow::latency_ns, nodes.rows_of<NodesRow>()); !rows.empty())
        sentences.push_back(only_one
                                ? sentence_on_one_pair(rows.front(), nodes.run.largest_size)
                                : fmt::format("The nearest access takes {}, the farthest {} ({:.2f} times as long).",
                                              ns(rows.front()), ns(rows.back()),
                                              *rows.back().latency_ns / *rows.front().latency_ns));
    if (const auto rows = sorted_by(&NodesRow::bytes_per_ns, nodes.rows_of<NodesRow>()); !rows.empty())
        sentences.push_back((only_one ? "Its bandwidth is " : "The highest bandwidth is ") + gb_s(rows.back()) +
                            (only_one ? "." : ", the lowest " + gb_s(rows.front()) + "."));
    return {.sentence = joined(sentences, "\n", std::identity())};
}

std::string name_of(const PatternFigure& figure) {
    switch (figure.pattern) {
    case Pattern::random:
        return "random lines";
    case Pattern::index:
        return "random lines, by index";
    case Pattern::repeated_lap:
        return "random lines, a repeated lap";
    case Pattern::pair:
        return "second line of a pair";
    case Pattern::pair_backward:
        return "first line of a pair, after the second";
    case Pattern::next_line:
        return "next line, in the next pair";
    default:
        return fmt::format("stride {}, forward and backward",
                           rounded_size(static_cast<double>(figure.stride_bytes.value_or(0))));
    }
}

Ending ending_of_prefetch(const Result& prefetch) {
    Ending ending;
    std::vector<PageKind> pages;
    Cells header{"Accesses"};
    const auto& figures = prefetch.rows_of<PatternFigure>();
    for (const PatternFigure& figure : figures) {
        if (std::ranges::find(pages, figure.pages) == pages.end()) {
            pages.push_back(figure.pages);
            header.push_back(fmt::format("Pages {}", word_of(figure.pages)));
        }
    }
    ending.table = {.rows = {header}, .right = "l" + std::string(pages.size(), 'r')};
    for (const PatternFigure& first : figures) {
        if (first.pages != pages.front() || first.pattern == Pattern::start || first.pattern == Pattern::backward)
            continue;
        Cells cells{name_of(first)};
        for (const PageKind kind : pages) {
            const auto in_pages = [&](Pattern pattern) {
                const auto same = std::ranges::find_if(figures, [&](const PatternFigure& figure) {
                    return figure.pages == kind && figure.pattern == pattern &&
                           figure.stride_bytes == first.stride_bytes;
                });
                return same == figures.end() || !same->latency_ns ? "" : three_digits(*same->latency_ns);
            };
            const std::string back = first.pattern == Pattern::forward ? in_pages(Pattern::backward) : "";
            const std::string there = in_pages(first.pattern);
            cells.push_back(there + (there.empty() || back.empty() ? "" : ", ") + back +
                            (there.empty() && back.empty() ? "" : " ns"));
        }
        ending.table.rows.push_back(std::move(cells));
    }
    ending.sentence = capitalised(sentence_of(notice_of(prefetchers_in(prefetch)))) + ".";
    return ending;
}

Ending ending_of_tail(const Result& tail) {
    std::set<std::uint64_t> sizes;
    for (const PercentileRow& row : tail.rows_of<PercentileRow>())
        sizes.insert(row.size_bytes);
    Ending ending{.title = "Latency in ns:", .table = table_of_tail(tail), .sentence = tail_sentence(tail)};
    if (!tail.run.caches && sizes.size() == 1)
        ending.sentence +=
            fmt::format("{}No caches are known from the system, so all rows are of {}.",
                        ending.sentence.empty() ? "" : "\n", rounded_size(static_cast<double>(*sizes.begin())));
    return ending;
}

/// Drops what another note says better.
void drop_implied(std::vector<Notice>& notes) {
    const auto has = [&](Code code) { return std::ranges::find(notes, code, &Notice::code) != notes.end(); };
    const bool follows_stride = has(Code::prefetcher_follows_stride);
    const bool are_unsettled = has(Code::unsettled) || has(Code::contested_sizes);
    std::erase_if(notes, [&](const Notice& note) {
        return (follows_stride && (note.code == Code::prefetched || note.code == Code::levels_below_prefetching ||
                                   note.code == Code::no_edge || note.code == Code::memory_not_reached)) ||
               (are_unsettled && note.code == Code::many_disturbed) ||
               (has(Code::time_was_up) && note.code == Code::unsettled) ||
               (has(Code::others_used) && note.code == Code::busy_machine);
    });
}

} // namespace

TextTable table_of(std::span<const LevelReport> reports) {
    TextTable table{.rows = {{"Level", "Capacity", "Sure", "Latency", "Cycles", "Sure"}}, .right = "lllrrl"};
    for (const LevelReport& report : reports) {
        for (const LevelRow& row : level_rows(report)) {
            Cells cells = level_cells_of(row, !report.reported.empty());
            if (reports.size() > 1)
                cells.front() += fmt::format(" thread {}", report.thread);
            table.rows.push_back(std::move(cells));
        }
    }
    if (table.rows.size() == 1)
        table.rows.clear();
    return table;
}

Ending ending_of(const Result& result, bool translation_is_off) {
    Ending ending;
    try {
        if (result.row_count() == 0)
            ending = {};
        else if (std::holds_alternative<std::vector<Row>>(result.rows))
            ending = ending_of_sweep(result, translation_is_off);
        else if (result.kind == &tlb_kind)
            ending = ending_of_tlb(result);
        else if (result.kind == &loaded_kind)
            ending = ending_of_loaded(result);
        else if (result.kind == &cores_kind)
            ending = ending_of_cores(result);
        else if (result.kind == &nodes_kind)
            ending = ending_of_nodes(result);
        else if (result.kind == &prefetch_kind)
            ending = ending_of_prefetch(result);
        else
            ending = ending_of_tail(result);
    } catch (const Error&) { // no row has a figure
    }
    if (!std::holds_alternative<std::vector<Row>>(result.rows)) // those of a sweep are inferred from its rows
        ending.notes.insert(ending.notes.end(), result.remarks.begin(), result.remarks.end());
    ending.notes.insert(ending.notes.end(), result.warnings.begin(), result.warnings.end());
    drop_implied(ending.notes);
    return ending;
}

Ending ending_of(std::span<const TranslationCost> costs, const Findings& findings) {
    Ending ending;
    const TranslationCost* largest = nullptr;
    const TranslationCost* smallest = nullptr;
    const TranslationCost* last = nullptr;         // known or not
    constexpr double smallest_of_note = 256 * kib; // any TLB holds the pages of less
    const auto of_note = [&](const TranslationCost& cost) {
        return cost.thread == costs.front().thread && cost.size_bytes >= smallest_of_note;
    };
    for (const TranslationCost& cost : costs) {
        if (!of_note(cost))
            continue;
        last = &cost;
        if (!cost.cost_ns)
            continue;
        smallest = smallest == nullptr ? &cost : smallest;
        largest = &cost;
    }
    const auto are_noise = [&](double below_bytes) {
        return std::ranges::all_of(costs, [&](const TranslationCost& cost) {
            return cost.thread != costs.front().thread || cost.size_bytes >= below_bytes ||
                   cost.withheld == Withheld::explained_by_noise;
        });
    };
    const bool is_known = std::ranges::all_of(costs, [](const TranslationCost& cost) {
        return cost.reversed || cost.withheld == Withheld::explained_by_noise;
    });
    if (largest == nullptr && are_noise(std::numeric_limits<double>::infinity()))
        ending.sentence = "Huge pages save nothing beyond the noise at any size.";
    else if (largest == nullptr)
        ending.sentence = is_known ? "Huge pages save nothing; they are slower at some sizes."
                                   : "The sweeps do not tell what huge pages save; measure both again on a "
                                     "quiet machine.";
    else
        ending.sentence = fmt::format(
            "Huge pages save {} at {}: small pages add {:.1f} % to the latency with huge pages{}{}.",
            in_ns(largest->cost_ns), rounded_size(largest->size_bytes), cost_percent(*largest).value_or(0),
            smallest->size_bytes > costs.front().size_bytes && are_noise(smallest->size_bytes)
                ? fmt::format("; no difference beyond the noise below {}", rounded_size(smallest->size_bytes))
                : "",
            largest == last ? "" : "; larger sizes do not tell");
    for (const Finding& finding : findings.list) {
        if (finding.is_remark)
            ending.notes.push_back(finding.notice);
    }
    return ending;
}

TextTable table_of(const TlbReport& report) {
    TextTable table{.rows = {{"TLB", "Entries", "Reach", "Adds", "Confidence"}}, .right = "lrrrl"};
    for (std::size_t place = 0; place < report.translation.tlbs.size(); ++place) {
        const Tlb& found = report.translation.tlbs[place];
        table.rows.push_back({level_name(static_cast<int>(place) + 1),
                              found.entries_low + 1 == found.entries_high
                                  ? fmt::format("{}", found.entries)
                                  : fmt::format("{} ({} to {})", found.entries, found.entries_low, found.entries_high),
                              rounded_size(static_cast<double>(found.entries) * report.page_bytes),
                              place == 0 ? "" : in_ns(found.hit_ns), std::string(word_of(found.confidence))});
    }
    for (const CostAtPages& cost : report.translation.beyond) {
        if (table.rows.size() > 1)
            table.rows.push_back({fmt::format("Walk at {} pages", cost.pages), "",
                                  rounded_size(static_cast<double>(cost.pages) * report.page_bytes), in_ns(cost.ns),
                                  ""});
    }
    return table;
}

std::string text_of(const Ending& ending, std::size_t columns) {
    std::string text;
    if (!ending.title.empty())
        text += wrapped(ending.title, columns, "") + "\n";
    text += aligned_text(ending.table);
    if (!ending.sentence.empty())
        text += wrapped(ending.sentence, columns, "") + "\n";
    for (const Notice& note : ending.notes)
        text += wrapped(fmt::format("Note: {}.", sentence_of(note)), columns, "      ") + "\n";
    return text;
}

} // namespace memtest
