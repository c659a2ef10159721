#include "memtest/kinds/tail_answer.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/insight/level_rules.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/measure/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {
namespace {

/// Whether it has percentiles, but not the last ones.
bool lacks_samples(const PercentileRow& row) {
    return row.max_ns && !row.p99_99_ns;
}

/// The smallest reported cache that is large enough, or 0 for memory. std::nullopt if the system reports no L1 that all
/// processors have: others may be missing then, too.
std::optional<int> level_of(const PercentileRow& row, const Result& tail) {
    if (!tail.run.caches || std::ranges::count(*tail.run.caches, 1, &ReportedCache::level) == 0)
        return std::nullopt;
    const ReportedCache* smallest = nullptr;
    for (const ReportedCache& cache : *tail.run.caches) {
        if (cache.size_bytes >= row.size_bytes && (smallest == nullptr || cache.size_bytes < smallest->size_bytes))
            smallest = &cache;
    }
    return smallest == nullptr ? 0 : smallest->level;
}

/// "L1 16 KiB under full load", "memory 256 MiB"
std::string name_with_level(const PercentileRow& row, const Result& tail) {
    const std::optional<int> level = level_of(row, tail);
    return fmt::format("{}{}", !level ? "" : *level == 0 ? "memory " : level_name(*level) + " ", name_of(row));
}

/// A row for each of the result, with the columns in ns that are always there.
TextTable table_of_tail(const Result& tail, const KindOf<PercentileRow>& kind) {
    constexpr std::string_view unit = " (ns)";
    const double step_ns = tail.resolution_ns.value_or(0);
    TextTable table{
        .rows = {{step_ns > 1 ? fmt::format("Latency (ns), counter steps of {:.4g}", step_ns) : "Latency (ns)"}},
        .right = "l"};
    const auto& rows = tail.rows_of<PercentileRow>();
    for (const PercentileRow& row : rows)
        table.rows.push_back({name_with_level(row, tail)});
    for (std::size_t place = 0; place < kind.columns().size(); ++place) {
        const Column& column = kind.columns()[place];
        if (column.group != ColumnGroup::always || !column.name.ends_with(unit))
            continue;
        table.rows.front().emplace_back(column.name.substr(0, column.name.size() - unit.size()));
        table.right += 'r';
        for (std::size_t i = 0; i < rows.size(); ++i)
            table.rows[i + 1].push_back(text_of(column.written(kind.values(rows[i])[place])));
    }
    // A percentile before a known one took less than half a step of the counter; one after it has too few samples.
    for (std::vector<std::string>& cells : std::span(table.rows).subspan(1)) {
        for (std::size_t place = cells.size() - 3; place > 0; --place) { // the last column is no percentile
            const std::string& next = cells[place + 1];
            if (cells[place].empty() && !next.empty())
                cells[place] = next.starts_with('<') ? next : "<" + next;
        }
    }
    return table;
}

std::string tail_sentence(const Result& tail) {
    const PercentileRow* memory = nullptr; // the largest size, under the highest load
    const PercentileRow* idle = nullptr;   // of the same size
    for (const PercentileRow& row : tail.rows_of<PercentileRow>()) {
        if (!row.p50_ns || !row.p99_ns)
            continue;
        if (memory == nullptr || row.size_bytes >= memory->size_bytes)
            memory = &row;
        if (row.load_percent == 0)
            idle = &row;
    }
    if (memory == nullptr)
        return "";
    if (idle == memory || (idle != nullptr && idle->size_bytes != memory->size_bytes))
        idle = nullptr;
    constexpr double longer = 1.25; // of less, chance decides
    const auto rises = [&](std::optional<double> PercentileRow::*ns) {
        return idle != nullptr && memory->*ns && idle->*ns && *(memory->*ns) > longer * *(idle->*ns);
    };
    const bool medians_rise =
        idle != nullptr && idle->high_p50_ns.value_or(*idle->p50_ns) < memory->low_p50_ns.value_or(*memory->p50_ns);
    const bool shows_cost = medians_rise || rises(&PercentileRow::p99_ns) || rises(&PercentileRow::p99_9_ns);
    const bool has_p99_9 = memory->p99_9_ns && (idle == nullptr || idle->p99_9_ns);
    const bool quotes_p99_9 = has_p99_9 && (rises(&PercentileRow::p99_9_ns) || !rises(&PercentileRow::p99_ns));
    const auto slow_ns = [&](const PercentileRow& of) {
        return text_of(*(quotes_p99_9 ? of.p99_9_ns : of.p99_ns), significant(3));
    };
    const PercentileRow& row = idle != nullptr && !shows_cost ? *idle : *memory;
    const auto group = row.group.value_or(1);
    std::string sentence =
        fmt::format("One in {} {} from {} in {} takes more than {} ns{}{}.", quotes_p99_9 ? 1000 : 100,
                    group > 1 ? fmt::format("groups of {} loads", group) : "loads", name_of(row),
                    pages_in_words(tail.run), slow_ns(row), group > 1 ? " per load" : "",
                    shows_cost        ? fmt::format("; without load more than {} ns", slow_ns(*idle))
                    : idle != nullptr ? " without load"
                                      : "");
    if (idle != nullptr && !shows_cost)
        sentence += *idle->p50_ns < *memory->p50_ns && idle->high_p50_ns && memory->low_p50_ns
                        ? " Medians of visits with and without load overlap, so this run does not show what load costs."
                        : " This run does not show what load costs.";
    return sentence;
}

/// How long other work held the processor, which the rows leave out; "" if no row knows.
std::string sentence_on_stops(const Result& tail) {
    double sampled_ms = 0;
    double stopped_ms = 0;
    double longest_ms = 0;
    for (const PercentileRow& row : tail.rows_of<PercentileRow>()) {
        sampled_ms += row.sampled_ms.value_or(0);
        stopped_ms += row.stopped_ms.value_or(0);
        longest_ms = std::max(longest_ms, row.longest_stop_ms.value_or(0));
    }
    if (sampled_ms == 0)
        return "";
    const char* others = tail.run.virtual_machine.value_or(false) ? "Other processes, guests or interrupts"
                                                                  : "Other processes or interrupts";
    if (stopped_ms == 0)
        return fmt::format("{} did not hold the processor for 10 us or longer; shorter stops look like slow loads.",
                           others);
    return fmt::format("{} held the processor for {} % of the time, at most {} ms at once; stops below 10 us look like "
                       "slow loads.",
                       others, text_of(100 * stopped_ms / sampled_ms, significant(2)),
                       text_of(longest_ms, significant(2)));
}

/// Two steps of the counter, which explain a difference of that.
double two_steps_ns(const PercentileRow& row, const Result& tail) {
    return 2 * tail.resolution_ns.value_or(0) / static_cast<double>(row.group.value_or(1));
}

/// The row without load whose visits differ the most: the second slowest median is contention_ratio times the second
/// fastest or more, and two steps of the counter do not explain it. nullptr if none does.
const PercentileRow* most_uneven(const Result& tail) {
    double most_times = contention_ratio;
    const PercentileRow* uneven = nullptr;
    for (const PercentileRow& row : tail.rows_of<PercentileRow>()) {
        if (row.load_percent > 0 || !row.low_p50_ns || !row.high_p50_ns)
            continue;
        const double times = *row.high_p50_ns / *row.low_p50_ns;
        if (times >= most_times && *row.high_p50_ns - *row.low_p50_ns > two_steps_ns(row, tail)) {
            most_times = times;
            uneven = &row;
        }
    }
    return uneven;
}

/// That the last reported cache hardly holds its row: without load its loads take nearly as long as those from memory,
/// or half as long and longer than a cache takes; else "".
std::string sentence_on_lost_cache(const Result& tail) {
    const PercentileRow* cache = nullptr;
    const PercentileRow* memory = nullptr;
    for (const PercentileRow& row : tail.rows_of<PercentileRow>()) {
        const int level = level_of(row, tail).value_or(-1);
        if (row.load_percent == 0 && row.p50_ns && level >= 0)
            (level == 0 ? memory : cache) = &row;
    }
    constexpr double nearly = 0.8;
    if (cache == nullptr || memory == nullptr ||
        *cache->p50_ns < (*cache->p50_ns >= LevelRules().most_cache_ns ? 0.5 : nearly) * *memory->p50_ns)
        return "";
    return fmt::format("{} hardly holds {}: half of the loads take {} ns or more, against {} ns from memory.",
                       level_name(*level_of(*cache, tail)), name_of(*cache), text_of(*cache->p50_ns, significant(3)),
                       text_of(*memory->p50_ns, significant(3)));
}

/// If no row has visits that differ: what the samples of the caches show, which may differ all the same.
std::string sentence_on_even_visits(const Result& tail) {
    bool is_known = false;
    double most_times = contention_ratio;
    const PercentileRow* uneven = nullptr;
    for (const PercentileRow& row : tail.rows_of<PercentileRow>()) {
        if (row.load_percent > 0)
            continue;
        is_known = is_known || row.high_p50_ns.has_value();
        const double p50_ns = row.p50_ns.value_or(0);
        const double p90_ns = row.p90_ns.value_or(p50_ns);
        const double times = p50_ns > 0 ? p90_ns / p50_ns : 0;
        const bool is_of_a_cache = level_of(row, tail).value_or(0) > 0; // memory differs by itself
        if (is_of_a_cache && times >= most_times && p90_ns - p50_ns > two_steps_ns(row, tail)) {
            most_times = times;
            uneven = &row;
        }
    }
    if (!is_known)
        return "Whether they slowed caches or memory, this run does not show.";
    return uneven == nullptr
               ? fmt::format("Without load, neither caches nor memory took {:g} times as long in some visits as in "
                             "others.",
                             contention_ratio)
               : fmt::format("Without load, one in ten samples of {} took {} ns or more, {} times the median.",
                             name_of(*uneven), text_of(*uneven->p90_ns, significant(3)),
                             text_of(most_times, significant(2)));
}

/// What other work did: whether it took the processor away, and whether caches or memory were slower at some moments,
/// or a cache at all; "" if no row knows.
std::string sentence_on_other_work(const Result& tail) {
    const auto ns = [](std::optional<double> figure) { return text_of(*figure, significant(3)); };
    std::vector<std::string> sentences{sentence_on_stops(tail)};
    if (const PercentileRow* uneven = most_uneven(tail); uneven != nullptr)
        sentences.push_back(
            fmt::format("Without load, half of the samples of {} took {} ns at most in some visits and {} ns in "
                        "others: other work slowed them, or their pages collided.",
                        name_of(*uneven), ns(uneven->low_p50_ns), ns(uneven->high_p50_ns)));
    if (std::string sentence = sentence_on_lost_cache(tail); !sentence.empty())
        sentences.push_back(std::move(sentence));
    if (sentences.size() == 1 && !sentences.front().empty())
        sentences.push_back(sentence_on_even_visits(tail));
    std::erase(sentences, "");
    return joined(sentences, " ", std::identity());
}

} // namespace

std::string name_of(const PercentileRow& row) {
    return row_name(static_cast<double>(row.size_bytes), row.load_percent);
}

Answer answer_of_tail(const Result& tail, const KindOf<PercentileRow>& kind) {
    std::set<std::uint64_t> sizes;
    for (const PercentileRow& row : tail.rows_of<PercentileRow>())
        sizes.insert(row.size_bytes);
    Answer answer{.table = table_of_tail(tail, kind), .notes = tail.remarks};
    if (std::ranges::any_of(tail.rows_of<PercentileRow>(), lacks_samples))
        answer.title = "Empty with fewer than ten samples beyond:";
    for (std::string sentence : {sentence_on_other_work(tail), tail_sentence(tail)}) {
        if (!sentence.empty())
            answer.sentences.push_back(std::move(sentence));
    }
    if (!tail.run.caches && sizes.size() == 1)
        answer.sentences.push_back(fmt::format("The system reports no caches, so all rows are of {}.",
                                               rounded_size(static_cast<double>(*sizes.begin()))));
    return answer;
}

} // namespace memtest
