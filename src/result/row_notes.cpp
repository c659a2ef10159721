#include "memtest/result/row_notes.hpp"

namespace memtest {

List row_notes(std::span<const Row> rows) {
    List all;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].notes.empty())
            continue;
        Members notes{{"row", i}, {"notes", as_value(rows[i].notes)}};
        if (contested_band_of(rows[i])) {
            notes.set("low_ns", figure(rows[i].low_ns));
            notes.set("high_ns", figure(rows[i].high_ns));
        }
        all.emplace_back(std::move(notes));
    }
    return all;
}

void add_notes(Row& row, const Value& notes) {
    if (!row.notes.empty())
        return;
    static_cast<void>(read_value(notes["notes"], row.notes));
    const auto low_ns = notes["low_ns"].number();
    const auto high_ns = notes["high_ns"].number();
    constexpr double lowest = 0.001; // as of the columns
    constexpr double highest = 1e12;
    if (low_ns && high_ns && *low_ns >= lowest && *low_ns <= *high_ns && *high_ns <= highest) {
        row.low_ns = low_ns;
        row.high_ns = high_ns;
    }
}

std::optional<LatencyBand> contested_band_of(const Row& row) {
    if (!row.low_ns || !row.high_ns)
        return std::nullopt;
    return LatencyBand{.low_ns = *row.low_ns, .high_ns = *row.high_ns};
}

} // namespace memtest
