#include "memtest/report/columns.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>

namespace memtest {
namespace {

/// A kind of figure. A value out of bounds cannot have been measured: it is neither written nor read.
struct Figure {
    int digits;
    double lowest;
    double highest;

    [[nodiscard]] bool holds(double value) const { return value >= lowest && value <= highest; } // and is no NaN
};

constexpr Figure nanoseconds{3, 0.001, 1e12};
constexpr Figure cycles{2, 0.01, 1e13};
constexpr Figure percent{2, 0, 1e6};

/// The column of a figure that is a field of StoredRow. @tparam of gives it of a Row
template<const Figure& figure, auto of, auto field>
constexpr Column column(std::string_view name, std::string_view member, ColumnGroup group) {
    return {name, member, group,
            [](const Row& row) {
                const std::optional<double> value = std::invoke(of, row);
                return value && figure.holds(*value) ? fixed(*value, figure.digits) : "";
            },
            [](StoredRow& row, std::string_view text) -> std::optional<std::string> {
                if (text.empty())
                    return std::nullopt;
                const auto value = parse_number<double>(text);
                if (!value || !figure.holds(*value))
                    return fmt::format("a number from {:g} to {:g}", figure.lowest, figure.highest);
                row.*field = value;
                return std::nullopt;
            }};
}

template<auto figure>
std::optional<double> of_summary(const Row& row) {
    return row.summary ? std::optional((*row.summary).*figure) : std::nullopt;
}

std::string text_of_thread(const Row& row) {
    return fmt::format("{}", row.thread);
}

std::optional<std::string> read_thread(StoredRow& row, std::string_view text) {
    const auto number = parse_number<int>(text);
    if (!number || *number < 0)
        return "the number of a thread";
    row.thread = *number;
    return std::nullopt;
}

std::string text_of_size(const Row& row) {
    return fmt::format("{:.5f}", static_cast<double>(row.size_bytes) / mib);
}

/// The size that was measured. Five decimals of a MiB leave 5 bytes to either side: the roundest number within, a
/// multiple of a KiB, a usual line or a word, must be it.
double restored_bytes(double size_mib) {
    constexpr double half_step = 0.5e-5 * mib;
    const double stored = size_mib * mib;
    for (const double unit : {1024.0, 64.0, 8.0}) {
        const double multiple = std::round(stored / unit) * unit;
        if (multiple > 0 && std::abs(multiple - stored) <= half_step)
            return multiple;
    }
    return stored;
}

std::optional<std::string> read_size(StoredRow& row, std::string_view text) {
    constexpr double smallest_mib = 0.00001;         // five decimals
    constexpr double largest_mib = 17592186044416.0; // 2^64 bytes
    const auto size_mib = parse_number<double>(text);
    if (!size_mib || !(*size_mib >= smallest_mib && *size_mib <= largest_mib))
        return "the size of a memory";
    row.size_bytes = restored_bytes(*size_mib);
    return std::nullopt;
}

template<auto field>
std::optional<std::string> read_count(StoredRow& row, std::string_view text) {
    row.*field = parse_number<std::uint64_t>(text);
    return text.empty() || row.*field ? std::nullopt : std::optional<std::string>("a count");
}

std::string text_of_visits(const Row& row) {
    return fmt::format("{}", row.visits.size());
}

std::string text_of_batches(const Row& row) {
    return fmt::format("{}", batches_of(row));
}

std::string text_of_notes(const Row& row) {
    return joined(row.notes, " ", word_of<Note>);
}

/// Leaves out unknown words, which may be of another version.
std::optional<std::string> read_notes(StoredRow& row, std::string_view text) {
    while (!text.empty()) {
        const std::size_t blank = text.find(' ');
        if (const auto note = value_of<Note>(text.substr(0, blank)))
            row.notes.push_back(*note);
        text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    }
    return std::nullopt;
}

constexpr std::array table{
    Column{"Thread", "thread", ColumnGroup::always, text_of_thread, read_thread},
    Column{"Mem size (MiB)", "size_mib", ColumnGroup::always, text_of_size, read_size},
    column<nanoseconds, &Row::latency_ns, &StoredRow::latency_ns>("Access latency (ns)", "latency_ns",
                                                                  ColumnGroup::always),
    column<cycles, &Row::latency_cycles, &StoredRow::cycles>("Latency (cycles)", "latency_cycles", ColumnGroup::cycles),
    column<nanoseconds, of_summary<&Summary::min>, &StoredRow::min_ns>("Min (ns)", "min_ns", ColumnGroup::stats),
    column<nanoseconds, of_summary<&Summary::median>, &StoredRow::median_ns>("Median (ns)", "median_ns",
                                                                             ColumnGroup::stats),
    column<nanoseconds, of_summary<&Summary::mean>, &StoredRow::mean_ns>("Mean (ns)", "mean_ns", ColumnGroup::stats),
    column<percent, of_summary<&Summary::spread_percent>, &StoredRow::spread_percent>("Spread (%)", "spread_percent",
                                                                                      ColumnGroup::stats),
    column<percent, &Row::visits_percent, &StoredRow::visits_percent>("Visits (%)", "visits_percent",
                                                                      ColumnGroup::stats),
    Column{"Visits", "visits_made", ColumnGroup::stats, text_of_visits, read_count<&StoredRow::visits>},
    Column{"Batches", "batches", ColumnGroup::stats, text_of_batches, read_count<&StoredRow::batches>},
    Column{"Notes", notes_member, ColumnGroup::stats, text_of_notes, read_notes},
};

} // namespace

bool is_disturbed(const StoredRow& row) {
    return any_disturbing(row.notes);
}

std::span<const Column> columns() {
    return table;
}

} // namespace memtest
