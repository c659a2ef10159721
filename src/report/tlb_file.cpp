#include "memtest/report/tlb_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/units.hpp"
#include "memtest/chain/order.hpp"
#include "memtest/report/input_file.hpp"
#include "memtest/report/pages_got.hpp"
#include "memtest/report/table_file.hpp"
#include "memtest/report/tlb_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace memtest {

std::optional<StoredTranslation> read_tlb_file(const std::string& path) {
    InputFile file(path);
    const auto table = read_table(file, std::array{tlb_table});
    if (!table)
        return std::nullopt;
    StoredTranslation stored{static_cast<const StoredRun&>(*table)};
    std::vector<TranslationPoint> points;
    for (const StoredTable::Row& row : table->rows) {
        const double after = points.empty() ? 0 : static_cast<double>(points.back().pages);
        const double pages = number_in(*table, row, 0, after + 1);
        const double reach_kib = number_in(*table, row, 1, 0.001);
        points.push_back({.pages = static_cast<std::size_t>(pages),
                          .rounds = {{number_in(*table, row, 2, 0), number_in(*table, row, 3, 0)}}});
        stored.page_bytes = reach_kib * static_cast<double>(kib) / pages;
    }
    if (points.empty())
        throw usage_error(fmt::format("{}: holds no row of memtest tlb", table->name));
    stored.translation = read_translation(points, 1 / table->run.core_clock_ghz.value_or(usual_ghz));
    return stored;
}

StoredSweep without_translation(StoredSweep sweep, const StoredTranslation& stored) {
    const auto refused = [&](std::string_view why) {
        return usage_error(fmt::format("{} cannot be taken off {}: {}", stored.name, sweep.name, why));
    };
    if (sweep.run.order.value_or(Order::random) != Order::random)
        throw refused("it has no random order; sweep with --random");
    if (sweep.run.tlb_locality_bytes)
        throw refused("--tlb-locality already kept translation out; give the sweep alone");
    if (sweep.run.pages_got && stored.run.pages_got && pages_differ(*sweep.run.pages_got, *stored.run.pages_got))
        throw refused(fmt::format("its pages are {}, not {}; measure both with the same --pages",
                                  text_of_pages(*sweep.run.pages_got), text_of_pages(*stored.run.pages_got)));
    sweep.translation_is_off = !why_incomplete(stored); // else a TLB may be missing
    for (StoredRow& row : sweep.rows) {
        if (!row.latency_ns)
            continue;
        const double cost_ns = cost_in_random_sweep_ns(stored.translation, row.size_bytes / stored.page_bytes);
        const double share = std::max(1 - cost_ns / *row.latency_ns, 0.1); // of another machine, it could be below 0
        row.latency_ns = *row.latency_ns * share;
        if (row.cycles)
            row.cycles = *row.cycles * share;
    }
    return sweep;
}

} // namespace memtest
