#include "memtest/report/tlb_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/chain/order.hpp"
#include "memtest/report/pages_got.hpp"
#include "memtest/report/tlb_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string_view>

namespace memtest {
namespace {

/// The numbers of a row, or nothing where it is none.
std::optional<std::array<double, 5>> parse_row(std::string_view line) {
    std::array<double, 5> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::size_t comma = i + 1 < numbers.size() ? line.find(',') : line.size();
        if (comma == std::string_view::npos)
            return std::nullopt;
        const std::string_view field = trimmed(line.substr(0, comma));
        const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), numbers.at(i));
        if (error != std::errc{} || end != field.data() + field.size())
            return std::nullopt;
        line.remove_prefix(std::min(comma + 1, line.size()));
    }
    return numbers;
}

/// Where rows may follow, the value of a `# key: value` line.
std::optional<std::string_view> value_behind(std::string_view line, std::string_view key) {
    const std::string start = fmt::format("# {}: ", key);
    return line.starts_with(start) ? std::optional(line.substr(start.size())) : std::nullopt;
}

} // namespace

std::optional<StoredTranslation> read_tlb_file(const std::string& path) {
    std::ifstream file(path);
    StoredTranslation stored{.name = path, .pages_got = std::nullopt, .page_bytes = 0, .translation = {}};
    std::vector<TranslationPoint> points;
    double core_ghz = usual_ghz;
    bool has_header = false;
    std::size_t number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (const auto pages = value_behind(line, "pages got"))
            stored.pages_got = parse_pages(*pages);
        if (const auto clock = value_behind(line, "core clock"))
            std::from_chars(clock->data(), clock->data() + clock->size(), core_ghz);
        if (trimmed(line).empty() || line.front() == '#')
            continue;
        if (!has_header && trimmed(line) != tlb_header)
            return std::nullopt;
        if (has_header) {
            const auto row = parse_row(line);
            const double after = points.empty() ? 0 : static_cast<double>(points.back().pages);
            if (!row || (*row)[0] <= after || (*row)[1] <= 0)
                throw usage_error(fmt::format("{}:{}: is no row of memtest tlb: pages ascend, and all fields are "
                                              "numbers",
                                              path, number));
            points.push_back({.pages = static_cast<std::size_t>((*row)[0]), .rounds = {{(*row)[2], (*row)[3]}}});
            stored.page_bytes = (*row)[1] * static_cast<double>(kib) / (*row)[0];
        }
        has_header = true;
    }
    if (!has_header)
        return std::nullopt;
    stored.translation = read_translation(points, 1 / core_ghz);
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
    if (sweep.run.pages_got && stored.pages_got && pages_differ(*sweep.run.pages_got, *stored.pages_got))
        throw refused(fmt::format("its pages are {}, not {}; measure both with the same --pages",
                                  text_of_pages(*sweep.run.pages_got), text_of_pages(*stored.pages_got)));
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
