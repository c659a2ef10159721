#pragma once

#include "memtest/kinds/prefetch.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/tail.hpp"
#include "memtest/kinds/tlb.hpp"
#include "memtest/result/result_reader.hpp"
#include "support/test.hpp"

namespace memtest {

/// A machine whose truth is known: the caches replace at random.
struct ModelledMachine {
    std::vector<double> capacities{32768, 1048576, 33554432};
    std::vector<double> latencies{1, 4, 14, 100};
    double p50 = 120;

    [[nodiscard]] double latency_at(double bytes) const {
        double held = 0;
        double total = 0;
        for (std::size_t i = 0; i < capacities.size(); ++i) {
            const double share = std::max(std::min(1.0, capacities[i] / bytes), held);
            total += (share - held) * latencies[i];
            held = share;
        }
        return total + (1 - held) * latencies.back();
    }
};

/// Four sizes per doubling up to 256 MiB. @param walk_ns what small pages add
inline Result modelled_sweep(const ModelledMachine& machine, const std::string& part = "", double walk_ns = 0) {
    std::vector<Row> rows;
    for (std::uint64_t power = 1024; power <= (std::uint64_t{1} << 28U); power *= 2) {
        for (std::uint64_t quarter = 4; quarter < 8 && power * quarter / 4 <= (std::uint64_t{1} << 28U); ++quarter) {
            Row row;
            row.size_bytes = power * quarter / 4;
            row.latency_ns =
                machine.latency_at(static_cast<double>(row.size_bytes)) + (row.size_bytes > 8 << 20 ? walk_ns : 0);
            row.visits_percent = 0.3;
            rows.push_back(row);
        }
    }
    Result sweep{.name = "made " + part, .part = part, .kind = &sweep_kind, .rows = rows};
    sweep.run.order = Order::random;
    sweep.run.pages = part == "sweep" ? PageKind::base : PageKind::transparent_huge;
    return sweep;
}

inline Result modelled_tail(const ModelledMachine& machine) {
    PercentileRow row;
    row.size_bytes = std::uint64_t{1} << 28U;
    row.accesses = 1000000;
    row.p50_ns = machine.p50;
    row.p90_ns = machine.p50 + 10;
    row.p99_ns = 200;
    row.p99_9_ns = 300;
    row.p99_99_ns = 400;
    return {.name = "made tail",
            .part = "tail",
            .kind = &tail_kind,
            .rows = std::vector<PercentileRow>{row},
            .resolution_ns = 10};
}

/// Of 64 and 1024 entries.
inline Result modelled_tlb() {
    std::vector<TlbRow> rows;
    const auto add = [&](std::uint64_t pages) {
        const double cost = pages <= 64 ? 0 : pages <= 1024 ? 3 : 20;
        rows.push_back({.pages = pages,
                        .reach_kib = 4.0 * static_cast<double>(pages),
                        .spread_ns = 2 + cost,
                        .packed_ns = 2,
                        .translation_ns = cost});
    };
    for (std::uint64_t pages = 4; pages <= 16384; pages *= 2) {
        add(pages);
        if (pages == 64 || pages == 1024)
            add(pages + 1);
        add(pages + pages / 2);
    }
    rows.pop_back();
    return {.name = "made tlb", .part = "tlb", .kind = &tlb_kind, .rows = rows};
}

/// Both sweeps and a tail.
inline StoredFile modelled_report(const ModelledMachine& machine = {}) {
    return {.name = "report",
            .is_report = true,
            .results = {modelled_sweep(machine, "sweep", 15), modelled_sweep(machine, "huge"), modelled_tail(machine)}};
}

} // namespace memtest
