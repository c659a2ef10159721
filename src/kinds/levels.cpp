#include "memtest/kinds/levels.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"
#include "memtest/insight/level_search.hpp"
#include "memtest/insight/reported_levels.hpp"
#include "memtest/insight/translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace memtest {
namespace {

constexpr Column sizes_kib{.digits = significant(10), .highest = 1e20, .unit_bytes = kib};
constexpr Column sizes_mib{.digits = decimals(5), .highest = 1e20, .unit_bytes = mib};

std::optional<double> in_kib(std::optional<double> bytes) {
    return bytes ? std::optional(*bytes / static_cast<double>(kib)) : std::nullopt;
}

/// The row of a cache or of memory, without the fields that only caches have.
LevelRow row_of(const LevelReport& report, const std::string& name, const auto& level) {
    LevelRow row;
    row.thread = report.thread;
    row.level = name;
    row.latency_ns = level.latency_ns;
    if (report.core_ghz)
        row.latency_cycles = level.latency_ns * *report.core_ghz;
    row.from_mib = level.from_bytes / mib;
    row.to_mib = level.to_bytes / mib;
    row.latency_confidence = level.latency_confidence;
    return row;
}

/// Whether the sweep stays in so few pages at a time that hardly any access misses the first-level TLB.
bool keeps_translation_out(const RunDescription& run) {
    constexpr std::uint64_t held_by_any_tlb = 16; // pages
    std::uint64_t page_bytes = 4096;              // if unknown
    if (run.pages_got && !run.pages_got->empty() && run.pages_got->front().page_bytes != 0)
        page_bytes = run.pages_got->front().page_bytes;
    return run.tlb_locality_bytes && *run.tlb_locality_bytes <= held_by_any_tlb * page_bytes;
}

/// Whether most of the memory is in pages that may be smaller than a way of the L1 cache; std::nullopt if unknown.
std::optional<bool> is_in_small_pages(const RunDescription& run) {
    constexpr std::uint64_t smallest_way = 16 << 10;
    if (!run.pages_got || run.pages_got->empty() || run.pages_got->front().page_bytes == 0)
        return std::nullopt;
    const PagesGot& pages = run.pages_got->front();
    return pages.page_bytes < smallest_way && pages.transparent_percent < 50;
}

/// The size to sweep to if the largest reported cache may serve part of memory because one thread sees little or
/// nothing of that cache; null if the sweep goes far enough.
Value size_beyond(std::uint64_t cache_bytes, const LevelReport& report) {
    constexpr double step_of_sizes = 2; // a sweep may end this far below its max size
    const std::uint64_t enough_bytes = last_caches_to_memory * cache_bytes;
    const std::optional<LevelLatency>& memory = report.hierarchy.memory;
    const bool is_largest = std::ranges::none_of(
        report.reported, [=](const ReportedCache& other) { return other.size_bytes > cache_bytes; });
    if (!is_largest || !memory || step_of_sizes * memory->to_bytes > static_cast<double>(enough_bytes))
        return {};
    return enough_bytes;
}

/// Whether the sweep goes far beyond what it shows of the last cache that the system reports.
bool is_beyond_caches(const LevelReport& report) {
    if (report.hierarchy.caches.empty() || report.reported.empty() || !report.hierarchy.memory)
        return false;
    const Level& last = report.hierarchy.caches.back();
    return last.reported_bytes == report.reported.back().size_bytes && last.capacity_high_bytes &&
           report.largest_bytes >= static_cast<double>(fewest_last_caches) * *last.capacity_high_bytes;
}

std::vector<std::string> unreported_levels(const Hierarchy& hierarchy) {
    std::vector<std::string> names;
    for (const Level& level : hierarchy.caches) {
        if (!level.reported_bytes)
            names.push_back(level_name(level.number));
    }
    return names;
}

/// "0.5": in the unit of another size.
std::string in_unit_of(const std::string& size, double size_kib) {
    const auto unit = static_cast<double>(bytes_in_unit(size.substr(size.rfind(' ') + 1)).value_or(1));
    return text_of(size_kib * static_cast<double>(kib) / unit, significant(3));
}

/// "0.5 to 1.5".
std::string range_in_unit_of(const std::string& size, const LevelRow& row) {
    return fmt::format("{} to {}", in_unit_of(size, *row.capacity_low_kib), in_unit_of(size, *row.capacity_high_kib));
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
                   : fmt::format("{} ({})", best, range_in_unit_of(best, row));
    }
    return size_range(*row.capacity_low_kib * kib, *row.capacity_high_kib * kib);
}

/// The capacity that system and curve agree on, or both: "13.6 (8 to 16) of 32 MiB" if a part is usable. Of memory, the
/// sizes that its latency comes from.
std::string capacity_of(const LevelRow& row, bool has_report) {
    if (row.is_memory())
        return "at " + size_range(*row.from_mib * mib, *row.to_mib * mib);
    if (!row.reported_kib)
        return measured_capacity_of(row) + (has_report ? ", not reported" : "");
    const auto reported_kib = static_cast<double>(*row.reported_kib);
    std::string reported = size_of_kib(reported_kib);
    if (!row.is_shown())
        return reported + ", no plateau";
    if (row.capacity_best_kib == reported_kib)
        return reported;
    if (!row.capacity_low_kib || !row.capacity_high_kib || *row.capacity_high_kib > reported_kib)
        return fmt::format("{}, reported {}", measured_capacity_of(row), reported);
    const bool is_exact = *row.capacity_low_kib == *row.capacity_high_kib;
    const std::string range = is_exact ? in_unit_of(reported, *row.capacity_low_kib) : range_in_unit_of(reported, row);
    return row.capacity_best_kib && !is_exact
               ? fmt::format("{} ({}) of {}", in_unit_of(reported, *row.capacity_best_kib), range, reported)
               : fmt::format("{} of {}", range, reported);
}

std::vector<std::string> cells_of(const LevelRow& row, const LevelReport& report) {
    std::string latency = row.latency_ns ? three_digits(*row.latency_ns) : "";
    const std::string cycles = row.latency_cycles ? three_digits(*row.latency_cycles) : "";
    if (const auto& memory = report.hierarchy.memory; row.is_memory() && memory->varies())
        latency += fmt::format(" ({} to {})", three_digits(memory->from_ns), three_digits(memory->to_ns));
    std::string sure(row.contested_to_kib      ? "contested"
                     : row.capacity_confidence ? word_of(*row.capacity_confidence)
                                               : "");
    append(sure, row.latency_confidence ? word_of(*row.latency_confidence) : "");
    return {row.is_memory() ? "Memory" : row.level, capacity_of(row, !report.reported.empty()), latency, cycles, sure};
}

/// Adds what no other thread's note says. The disturbed sizes of all threads are one note.
void add_once(std::vector<Notice>& notes, const Notice& note) {
    const bool is_counted = note.code == Code::many_disturbed;
    const auto same = std::ranges::find_if(
        notes, [&](const Notice& other) { return other == note || (is_counted && other.code == note.code); });
    if (same == notes.end()) {
        notes.push_back(note);
    } else if (is_counted) {
        const auto counts_of_both = [&](const char* name) {
            return static_cast<std::uint64_t>(same->values[name].number().value_or(0) +
                                              note.values[name].number().value_or(0));
        };
        *same = {note.code, {{"sizes", counts_of_both("sizes")}, {"of", counts_of_both("of")}}};
    }
}

/// A remark on the hierarchy with its values.
Notice remark_of(Code code, const LevelReport& report) {
    if (code == Code::level_not_reported)
        return {code, {{"levels", unreported_levels(report.hierarchy)}}};
    if (code == Code::many_disturbed)
        return {code, {{"sizes", report.disturbed_sizes}, {"of", report.sizes}}};
    if (code == Code::too_few_points && report.sizes == 1)
        return {
            code,
            {{"bytes", report.largest_bytes},
             {"latency_ns", figure(report.slowest_ns)},
             {"in_small_pages", report.in_small_pages && report.largest_bytes >= LevelRules().second_tlb_from_bytes}}};
    if (code != Code::hidden_level && code != Code::only_a_foot)
        return Notice(code);
    constexpr unsigned least = 8; // as the note on a level near another one says
    constexpr unsigned most = 64; // that --points takes
    const auto twice = static_cast<unsigned>(std::lround(2 * std::min<double>(report.sizes_per_doubling, most)));
    const unsigned points = std::max(least, std::bit_ceil(twice));
    return {code, points <= most ? Members{{"points", points}} : Members()};
}

} // namespace

const KindOf<LevelRow> levels_kind(
    {.command = "levels", .rows = "levels", .measured = false, .findings_first = true},
    {column_of<&LevelRow::thread>("Thread", "thread", "number of the thread, from 0", {.group = ColumnGroup::threads}),
     column_of<&LevelRow::level>("Level", "level", "L1, L2, ... or memory"),
     column_of<&LevelRow::capacity_low_kib>("Capacity low (KiB)", "capacity_low_kib",
                                            "the lower end of its range: the last size that surely fits", sizes_kib),
     column_of<&LevelRow::capacity_high_kib>("Capacity high (KiB)", "capacity_high_kib",
                                             "the upper end of its range: the first that surely does not", sizes_kib),
     column_of<&LevelRow::capacity_best_kib>("Capacity best (KiB)", "capacity_best_kib", "the best estimate",
                                             {.digits = decimals(0), .highest = 1e20, .unit_bytes = kib}),
     column_of<&LevelRow::latency_ns>("Latency (ns)", "latency_ns", "time of an access", {.highest = 1e20}),
     column_of<&LevelRow::latency_cycles>("Latency (cycles)", "latency_cycles",
                                          "the same in cycles of the thread's core clock",
                                          {.digits = decimals(2), .highest = 1e20}),
     column_of<&LevelRow::from_mib>("From (MiB)", "from_mib", "the first size well inside the level", sizes_mib),
     column_of<&LevelRow::to_mib>("To (MiB)", "to_mib", "the last size well inside the level", sizes_mib),
     column_of<&LevelRow::capacity_confidence>("Capacity confidence", "capacity_confidence",
                                               "high, fair or low; see METHOD in memtest-levels(1)"),
     column_of<&LevelRow::latency_confidence>("Latency confidence", "latency_confidence", "the same"),
     column_of<&LevelRow::reported_kib>("Reported (KiB)", "reported_kib", "capacity that the system reports",
                                        {.highest = 1e20, .unit_bytes = kib})});

std::string level_name(int number) {
    return fmt::format("L{}", number);
}

std::optional<double> LevelRow::capacity_kib() const {
    return capacity_best_kib || !capacity_low_kib || !capacity_high_kib
               ? capacity_best_kib
               : std::optional(std::sqrt(*capacity_low_kib * *capacity_high_kib));
}

Hierarchy read_levels(Curve curve, const Result& sweep, bool translation_is_off) {
    const RunDescription& run = sweep.run;
    const bool is_off = translation_is_off || keeps_translation_out(run);
    const bool are_split = std::ranges::count(sweep.warnings, Code::page_walks_remain, &Notice::code) > 0;
    Hierarchy hierarchy = infer_levels(curve,
                                       {.order = run.order,
                                        .small_pages = are_split ? true : is_in_small_pages(run),
                                        .caches = run.caches.value_or(std::vector<ReportedCache>{})},
                                       is_off ? without_translation() : LevelRules{});
    constexpr double usual_page_bytes = 4096;
    if (!is_off && run.order.value_or(Order::random) == Order::random && (are_split || is_in_small_pages(run) == true))
        doubt_translation(hierarchy,
                          are_split ? usual_page_bytes : static_cast<double>(run.pages_got->front().page_bytes));
    const auto followed = std::ranges::find(sweep.warnings, Code::prefetcher_follows_stride, &Notice::code);
    if (followed != sweep.warnings.end()) {
        if (const auto from_bytes = followed->values["from_bytes"].number())
            drop_prefetched(hierarchy, *from_bytes);
    }
    return hierarchy;
}

LevelReport report_levels(const ThreadCurve& curve, const Result& sweep, bool translation_is_off) {
    LevelReport report{.thread = curve.thread,
                       .hierarchy = read_levels(curve.points, sweep, translation_is_off),
                       .core_ghz = curve.core_ghz,
                       .reported = plausible_caches(sweep.run.caches.value_or(std::vector<ReportedCache>{})),
                       .is_busy = std::ranges::any_of(sweep.warnings,
                                                      [](const Notice& warning) {
                                                          return is_disturbance(warning) ||
                                                                 (warning.code == Code::contested_sizes &&
                                                                  !warning.values["beyond_caches"].is_true() &&
                                                                  !warning.values["private"].is_true());
                                                      }),
                       .in_small_pages = is_in_small_pages(sweep.run) == true && !translation_is_off,
                       .in_guest = sweep.run.virtual_machine.value_or(false)};
    report.has_host_walks = report.in_guest && !translation_is_off;
    if (!curve.points.empty()) {
        report.sizes = curve.points.size();
        report.disturbed_sizes = count_disturbed(curve.points);
        report.largest_bytes = curve.points.back().size_bytes;
        report.slowest_ns = std::ranges::max_element(curve.points, {}, &CurvePoint::latency_ns)->latency_ns;
        const double octaves = doublings(curve.points.front().size_bytes, report.largest_bytes);
        report.sizes_per_doubling = octaves > 0 ? static_cast<double>(curve.points.size() - 1) / octaves : 0;
    }
    return report;
}

std::vector<LevelReport> report_levels(const Result& sweep, bool translation_is_off) {
    std::vector<LevelReport> reports;
    for (const ThreadCurve& curve : curves_of(sweep))
        reports.push_back(report_levels(curve, sweep, translation_is_off));
    return reports;
}

std::vector<Notice> remarks_on(const LevelReport& report) {
    std::vector<Notice> remarks;
    for (const Code code : report.hierarchy.remarks)
        remarks.push_back(remark_of(code, report));
    if (report.hierarchy.prefetched_from_bytes)
        remarks.push_back({Code::levels_below_prefetching, {{"from_bytes", *report.hierarchy.prefetched_from_bytes}}});
    for (const Level& level : report.hierarchy.caches) {
        if (is_much_smaller(level) && !report.is_busy && !level.contested_to_bytes) // else others fill it
            remarks.push_back({Code::level_much_smaller,
                               {{"level", level_name(level.number)},
                                {"sweep_to_bytes", size_beyond(*level.reported_bytes, report)}}});
    }
    for (const ReportedCache& cache : report.hierarchy.unseen) {
        remarks.push_back(
            {Code::level_not_shown,
             {{"level", level_name(cache.level)},
              {"bytes", cache.size_bytes},
              {"why", word_of(why_unseen(cache, report.reported, report.largest_bytes, report.sizes_per_doubling))},
              {"sweep_to_bytes", size_beyond(cache.size_bytes, report)},
              {"in_guest", report.in_guest && static_cast<std::size_t>(cache.level) > private_caches}}});
    }
    if (const auto& memory = report.hierarchy.memory; memory && memory->rises())
        remarks.push_back({Code::memory_rises,
                           {{"from_bytes", memory->from_bytes},
                            {"to_bytes", memory->to_bytes},
                            {"low_ns", memory->from_ns},
                            {"high_ns", memory->to_ns},
                            {"in_small_pages", report.in_small_pages},
                            {"in_guest", report.has_host_walks}}});
    constexpr double clearly = 1.02;
    if (const auto& memory = report.hierarchy.memory; memory && memory->latency_ns > clearly * report.slowest_ns)
        remarks.push_back({Code::memory_above_sizes,
                           {{"latency_ns", figure(memory->latency_ns)}, {"slowest_ns", figure(report.slowest_ns)}}});
    return remarks;
}

std::vector<LevelRow> level_rows(const LevelReport& report) {
    std::vector<LevelRow> rows;
    for (const Level& cache : report.hierarchy.caches) {
        LevelRow& row = rows.emplace_back(row_of(report, level_name(cache.number), cache));
        row.capacity_low_kib = in_kib(cache.capacity_low_bytes);
        row.capacity_high_kib = in_kib(cache.capacity_high_bytes);
        row.capacity_best_kib = in_kib(cache.capacity_bytes);
        row.capacity_confidence = cache.capacity_confidence;
        row.contested_to_kib = in_kib(cache.contested_to_bytes);
        if (cache.reported_bytes)
            row.reported_kib = *cache.reported_bytes / kib;
    }
    for (const ReportedCache& cache : report.hierarchy.unseen) {
        LevelRow& row = rows.emplace_back();
        row.thread = report.thread;
        row.level = level_name(cache.level);
        row.reported_kib = cache.size_bytes / kib;
    }
    std::ranges::sort(rows, {}, [](const LevelRow& row) { return std::pair(row.level, !row.is_shown()); });
    if (report.hierarchy.memory)
        rows.push_back(row_of(report, "memory", *report.hierarchy.memory));
    return rows;
}

Findings level_findings(std::span<const LevelReport> reports, bool with_levels) {
    Findings told{.told = !reports.empty()};
    for (const LevelReport& report : reports) {
        const bool is_named = reports.size() > 1 && report.thread != 0;
        const std::string prefix = is_named ? fmt::format("thread {} ", report.thread) : "";
        for (const LevelRow& row : with_levels ? level_rows(report) : std::vector<LevelRow>()) {
            const Members members = row_members(levels_kind, levels_kind.values(row));
            told.list.push_back(
                {fmt::format("{}level {}", prefix, row.level), {Code::level, members}, {{"levels", List{members}}}});
        }
        for (const Notice& notice : remarks_on(report))
            told.list.push_back(remark(with_value(notice, "thread", report.thread), prefix));
    }
    return told;
}

void write_levels(OutputFile& output, const std::vector<LevelReport>& reports, Format format) {
    ResultStyle style{.format = format};
    if (reports.size() > 1)
        style.groups = {ColumnGroup::threads};
    std::vector<LevelRow> rows;
    for (const LevelReport& report : reports)
        std::ranges::move(level_rows(report), std::back_inserter(rows));
    write_whole(output, levels_kind, rows, level_findings(reports, false), style);
}

TextTable level_table(std::span<const LevelReport> reports) {
    TextTable table{.rows = {{"Level", "Capacity", "Latency (ns)", "Cycles", "Confidence"}}, .right = "lllrl"};
    bool has_cycles = false;
    for (const LevelReport& report : reports) {
        const std::vector<LevelRow> rows = level_rows(report);
        if (reports.size() > 1 && !rows.empty())
            table.rows.push_back({fmt::format("Thread {}", report.thread), "", "", "", ""});
        for (const LevelRow& row : rows) {
            table.rows.push_back(cells_of(row, report));
            has_cycles = has_cycles || row.latency_cycles;
        }
    }
    if (!has_cycles) {
        constexpr int of_cycles = 3;
        for (std::vector<std::string>& cells : table.rows)
            cells.erase(cells.begin() + of_cycles);
        table.right.erase(of_cycles, 1);
    }
    if (table.rows.size() == 1)
        table.rows.clear();
    return table;
}

Answer answer_of_levels(const Result& sweep, bool translation_is_off) {
    const std::vector<LevelReport> reports = report_levels(sweep, translation_is_off);
    Answer answer{.table = level_table(reports)};
    answer.is_beyond_caches = !reports.empty() && std::ranges::all_of(reports, is_beyond_caches);
    for (const LevelReport& report : reports) {
        for (const Notice& remark : remarks_on(report))
            add_once(answer.notes, remark);
    }
    return answer;
}

} // namespace memtest
