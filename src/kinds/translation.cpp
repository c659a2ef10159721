#include "memtest/kinds/translation.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/chain/cycle.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/sweep_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

/// Leaves out the sizes of more pages than the cost is known for, if the others reach memory: page walks cost more the
/// less of the page tables the caches hold. Warns of such sizes. @return whether some are still there
bool leave_out_untold_sizes(Result& sweep, const TlbReport& report) {
    const double told_bytes = static_cast<double>(report.most_pages) * report.page_bytes;
    Result told = sweep;
    auto& rows = std::get<std::vector<Row>>(told.rows);
    const auto left_out =
        std::erase_if(rows, [&](const Row& row) { return static_cast<double>(row.size_bytes) > told_bytes; });
    if (left_out == 0)
        return false;
    const std::vector<LevelReport> levels = report_levels(told, true);
    const bool is_enough = !levels.empty() && std::ranges::all_of(levels, [](const LevelReport& thread) {
        return thread.hierarchy.memory.has_value();
    });
    if (is_enough) {
        if (told.run.end && told.run.end->complete())
            told.run.end->measured = told.run.end->planned = rows.size() / levels.size();
        sweep = std::move(told);
    }
    sweep.warnings.push_back({Code::translation_untold, {{"told_to_bytes", told_bytes}, {"are_left_out", is_enough}}});
    return !is_enough;
}

/// Of the latency with huge pages.
std::optional<double> cost_percent(const TranslationCost& cost) {
    return cost.cost_ns ? std::optional(100 * *cost.cost_ns / cost.huge_pages_ns) : std::nullopt;
}

constexpr double smallest_of_note = 256 * kib; // any TLB holds the pages of less

bool is_of_note(const TranslationCost& cost) {
    return cost.size_bytes >= smallest_of_note;
}

/// Whether a sentence may quote it.
bool is_known(const TranslationCost& cost) {
    return is_of_note(cost) && cost.cost_ns;
}

/// "24.3 (9 to 41) ns"
std::string saving(const TranslationCost& cost) {
    const auto [low_ns, high_ns] = range_of_difference_ns(cost);
    return fmt::format("{} ({} to {}) ns", three_digits(*cost.cost_ns), three_digits(low_ns), three_digits(high_ns));
}

/// "; no saving is known below 1 MiB or at 96 MiB"; "" if one is known at every size of note.
/// @param known from the first size with a known saving to the last
std::string sizes_without_saving(std::span<const TranslationCost> before, std::span<const TranslationCost> known) {
    constexpr std::size_t most_named = 3;
    std::vector<std::string> gaps;
    for (const TranslationCost& cost : known) {
        if (!cost.cost_ns)
            gaps.push_back(rounded_size(cost.size_bytes));
    }
    std::vector<std::string> where;
    if (std::ranges::any_of(before, is_of_note))
        where.push_back("below " + rounded_size(known.front().size_bytes));
    if (gaps.size() > most_named)
        where.push_back(fmt::format("at {} sizes above {}", gaps.size(), rounded_size(known.front().size_bytes)));
    else if (!gaps.empty())
        where.push_back("at " + joined(gaps, ", ", std::identity()));
    return where.empty() ? "" : "; no saving is known " + joined(where, " or ", std::identity());
}

/// One end of the range of a difference that is quoted.
Value quoted_end(const TranslationCost& cost, double end_ns) {
    return cost.cost_ns ? Value(end_ns) : Value();
}

/// On the last three or more sizes in a row at which small pages took clearly longer, although noise can explain it.
std::optional<std::string> sentence_on_noise(const std::vector<TranslationCost>& costs) {
    constexpr std::ptrdiff_t fewest = 3;
    const auto is_none = [](const TranslationCost& cost) {
        return cost.withheld != Withheld::explained_by_noise || times_as_long(cost) < 1 || !differs_widely(cost);
    };
    const auto last = std::find_if_not(costs.rbegin(), costs.rend(), is_none).base(); // behind it
    const auto first = std::find_if(std::reverse_iterator(last), costs.rend(), is_none).base();
    if (last - first < fewest)
        return std::nullopt;
    const auto [low, high] = std::ranges::minmax_element(first, last, {}, times_as_long);
    const auto percent = [](const TranslationCost& cost) { return 100 * (times_as_long(cost) - 1); };
    return fmt::format("From {} to {} small pages took {:.0f} to {:.0f} % longer, but noise is too large to say how "
                       "much of that is translation.",
                       rounded_size(first->size_bytes), rounded_size(std::prev(last)->size_bytes), percent(*low),
                       percent(*high));
}

/// Whether a warning of the sweep says that other work disturbed this size.
bool is_warned_of(const Result& sweep, double size_bytes) {
    return std::ranges::any_of(sweep.warnings, [&](const Notice& warning) {
        return warning.code == Code::disturbed_size &&
               std::abs(warning.values["bytes"].number().value_or(0) - size_bytes) < size_resolution_bytes;
    });
}

} // namespace

const KindOf<TranslationCost> translation_kind(
    {.command = "translation", .rows = "translation", .measured = false},
    {column_of<&TranslationCost::thread>("Thread", "thread", "number of the thread, from 0"),
     computed<TranslationCost>("Mem size (MiB)", "", "size of the memory that is walked",
                               {.digits = decimals(5), .highest = 1e14, .unit_bytes = mib},
                               [](const TranslationCost& cost) { return Value(cost.size_bytes / mib); }),
     computed<TranslationCost>("", "size_bytes", "the exact size", {.type = Column::Type::count, .highest = 1.8e19},
                               [](const TranslationCost& cost) {
                                   return Value(static_cast<std::uint64_t>(std::llround(cost.size_bytes)));
                               }),
     column_of<&TranslationCost::small_pages_ns>("Small pages (ns)", "small_pages_ns", "latency with small pages"),
     column_of<&TranslationCost::huge_pages_ns>("Huge pages (ns)", "huge_pages_ns", "latency with huge pages"),
     column_of<&TranslationCost::cost_ns>("Translation (ns)", "translation_ns", "the difference; empty if not quoted"),
     computed<TranslationCost>("Translation (%)", "translation_percent",
                               "the difference relative to the latency with huge pages", {.digits = decimals(1)},
                               [](const TranslationCost& cost) { return as_value(cost_percent(cost), exact); }),
     computed<TranslationCost>("", "low_ns", "the least of the difference that noise leaves", {.digits = decimals(3)},
                               [](const TranslationCost& cost) {
                                   return quoted_end(cost, range_of_difference_ns(cost).first);
                               }),
     computed<TranslationCost>("", "high_ns", "the most of it", {.digits = decimals(3)},
                               [](const TranslationCost& cost) {
                                   return quoted_end(cost, range_of_difference_ns(cost).second);
                               }),
     column_of<&TranslationCost::withheld>("Not quoted", "not_quoted",
                                           "why the difference is empty: noise explains it, others contest the size, "
                                           "huge pages were slower, a level ends there, or it was disturbed")});

bool subtract_translation(Result& sweep, const Result& tlb) {
    const auto refused = [&](std::string_view why) {
        return usage_error(fmt::format("{} cannot be subtracted from {}: {}", tlb.name, sweep.name, why));
    };
    if (sweep.run.order.value_or(Order::random) != Order::random)
        throw refused("it has no random order; sweep with --random");
    if (sweep.run.tlb_locality_bytes)
        throw refused("--tlb-locality already kept translation out; give the sweep alone");
    if (sweep.run.pages_got && tlb.run.pages_got && pages_differ(*sweep.run.pages_got, *tlb.run.pages_got))
        throw refused(fmt::format("its pages are {}, not {}; measure both with the same --pages",
                                  text_of(*sweep.run.pages_got), text_of(*tlb.run.pages_got)));
    const TlbReport report = read_tlb(tlb);
    std::vector<Row> rows = sweep.rows_of<Row>();
    for (Row& row : rows) {
        constexpr double most_share = 0.8; // the slowest page walks, in a virtual machine, take two thirds
        if (!row.latency_ns)
            continue;
        const auto size_bytes = static_cast<double>(row.size_bytes);
        const double cost_ns = cost_in_random_sweep_ns(report.translation, size_bytes / report.page_bytes);
        if (cost_ns > most_share * *row.latency_ns)
            throw refused(fmt::format("it adds {:.1f} ns at {}, where an access takes {:.1f} ns: it was disturbed, or "
                                      "is of another machine; measure it again",
                                      cost_ns, rounded_size(size_bytes), *row.latency_ns));
        const double share_left = 1 - cost_ns / *row.latency_ns;
        *row.latency_ns *= share_left;
        if (row.latency_cycles)
            *row.latency_cycles *= share_left;
    }
    sweep.rows = std::move(rows);
    const bool are_split = std::ranges::count(tlb.remarks, Code::huge_pages_split, &Notice::code) > 0;
    if (are_split) // lines a huge page apart do not show what the rest of the page costs
        sweep.warnings.emplace_back(Code::page_walks_remain);
    const bool has_untold_sizes = leave_out_untold_sizes(sweep, report);
    return !are_split && !has_untold_sizes && !why_incomplete(tlb);
}

std::vector<TranslationCost> translation_costs(const Result& small_pages, const Result& huge_pages) {
    std::vector<TranslationCost> costs = translation_costs(latency_curve_of(small_pages), latency_curve_of(huge_pages));
    std::map<int, std::vector<Hierarchy>> levels; // by thread
    for (const Result* sweep : {&small_pages, &huge_pages}) {
        for (const ThreadCurve& curve : curves_of(*sweep)) {
            if (!curve.points.empty())
                levels[curve.thread].push_back(read_levels(curve.points, *sweep));
        }
    }
    for (TranslationCost& cost : costs) {
        if (cost.withheld != Withheld::contested && // else that is the cause
            (is_warned_of(small_pages, cost.size_bytes) || is_warned_of(huge_pages, cost.size_bytes))) {
            cost.withheld = Withheld::disturbed;
            cost.cost_ns.reset();
        }
        withhold_at_edges(cost, levels[cost.thread]);
    }
    return costs;
}

Findings translation_findings(std::span<const TranslationCost> costs, bool noise_is_told) {
    const auto known =
        std::ranges::count_if(costs, [](const TranslationCost& cost) { return cost.cost_ns.has_value(); });
    const auto within_noise = std::ranges::count(costs, Withheld::explained_by_noise, &TranslationCost::withheld);
    Findings findings{.told = true};
    findings.list.push_back(
        {"cost", {Code::costs_known, {{"known", known}, {"of", costs.size()}, {"within_noise", within_noise}}}});
    for (const Withheld why :
         {Withheld::contested, Withheld::reversed, Withheld::at_end_of_level, Withheld::disturbed}) {
        List names;
        for (const TranslationCost& cost : costs) {
            Value name(rounded_size(cost.size_bytes));
            if (cost.withheld == why && std::ranges::find(names, name) == names.end()) // once for all threads
                names.push_back(std::move(name));
        }
        if (names.empty())
            continue;
        Members values{{"sizes", std::ranges::count(costs, why, &TranslationCost::withheld)},
                       {"names", std::move(names)}};
        if (why != Withheld::reversed)
            values.set("why", word_of(why));
        findings.list.push_back(
            remark({why == Withheld::reversed ? Code::huge_pages_slower : Code::withheld_costs, std::move(values)}));
    }
    if (!noise_is_told)
        findings.list.push_back(remark(Notice(Code::noise_assumed)));
    return findings;
}

const TranslationCost* quoted_cost(std::span<const TranslationCost> costs) {
    const auto found = std::find_if(costs.rbegin(), costs.rend(), [&](const TranslationCost& cost) {
        return cost.thread == costs.front().thread && is_known(cost);
    });
    return found == costs.rend() ? nullptr : &*found;
}

Answer answer_of(std::span<const TranslationCost> costs, const Findings& findings) {
    Answer answer{.notes = findings.remarks()};
    std::vector<TranslationCost> of_first; // thread
    std::ranges::copy_if(costs, std::back_inserter(of_first),
                         [&](const TranslationCost& cost) { return cost.thread == costs.front().thread; });
    const auto first = std::ranges::find_if(of_first, is_known);
    const TranslationCost* const quoted = quoted_cost(of_first);
    if (quoted == nullptr) {
        const auto is_noise = [](const TranslationCost& cost) {
            return !is_of_note(cost) || cost.withheld == Withheld::explained_by_noise ||
                   cost.withheld == Withheld::contested;
        };
        const bool are_noise_before = std::all_of(of_first.begin(), first, is_noise);
        const bool is_wide = std::ranges::any_of(of_first, [&](const TranslationCost& cost) { // the noise
            return is_of_note(cost) && differs_widely(cost);
        });
        answer.sentences = {
            are_noise_before && !is_wide && std::ranges::any_of(of_first, is_of_note)
                ? fmt::format("Huge pages save nothing beyond the noise from {} on.", rounded_size(smallest_of_note))
                : "The sweeps do not tell what huge pages save; measure both again on a quiet machine."};
    } else {
        const TranslationCost& last = *quoted;
        const TranslationCost& most = *std::ranges::max_element(
            of_first, {}, [](const TranslationCost& cost) { return is_known(cost) ? cost.cost_ns : std::nullopt; });
        constexpr double clearly = 1.2;
        const bool is_most_clear = *most.cost_ns > clearly * *last.cost_ns &&
                                   range_of_difference_ns(most).first > range_of_difference_ns(last).second;
        answer.sentences = {fmt::format(
            "In these sweeps huge pages save {} at {}: small pages add {:.1f} % to the latency with huge pages{}{}{}.",
            saving(last), rounded_size(last.size_bytes), cost_percent(last).value_or(0),
            sizes_without_saving({of_first.begin(), first}, {&*first, quoted + 1}),
            is_most_clear ? fmt::format("; they save the most, {}, at {}", saving(most), rounded_size(most.size_bytes))
                          : "",
            last.size_bytes == of_first.back().size_bytes
                ? ""
                : fmt::format("; beyond {} the sweeps do not tell", rounded_size(last.size_bytes)))};
    }
    if (const std::optional<std::string> sentence = sentence_on_noise(of_first))
        answer.sentences.push_back(*sentence);
    return answer;
}

} // namespace memtest
