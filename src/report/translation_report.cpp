#include "memtest/report/translation_report.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/report/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace memtest {
namespace {

std::optional<double> cost_percent(const TranslationCost& cost) {
    return cost.cost_ns ? std::optional(100 * *cost.cost_ns / cost.huge_pages_ns) : std::nullopt;
}

std::string summary(std::span<const TranslationCost> costs) {
    const auto told =
        std::ranges::count_if(costs, [](const TranslationCost& cost) { return cost.cost_ns.has_value(); });
    return fmt::format("told at {} of {} sizes; at the others noise explains the difference", told, costs.size());
}

std::vector<std::string> remarks_on(std::span<const TranslationCost> costs, bool noise_is_told) {
    std::vector<std::string> remarks;
    const auto reversed = std::ranges::count_if(costs, &TranslationCost::reversed);
    if (reversed > 0)
        remarks.push_back(fmt::format("at {} size{} huge pages were slower by more than noise explains; something else "
                                      "differed, sweep again",
                                      reversed, reversed == 1 ? "" : "s"));
    const auto doubtful = std::ranges::count_if(costs, &TranslationCost::doubtful);
    if (doubtful > 0)
        remarks.push_back(fmt::format("doubtful at {} size{}: the latencies differ twice as much as beside {}; sweep "
                                      "again",
                                      doubtful, doubtful == 1 ? "" : "s", doubtful == 1 ? "it" : "them"));
    if (!noise_is_told)
        remarks.emplace_back("not all sizes say how noisy they were: an ordinary noise is assumed; sweep with "
                             "--stats");
    return remarks;
}

} // namespace

std::string translation_csv(std::span<const TranslationCost> costs, bool noise_is_told) {
    std::string text = "Thread, Mem size (MiB), Small pages (ns), Huge pages (ns), Translation (ns), Translation (%)\n";
    for (const TranslationCost& cost : costs)
        text += fmt::format("{}, {:.5f}, {}, {}, {}, {}\n", cost.thread, cost.size_bytes / mib,
                            fixed(cost.small_pages_ns, 3), fixed(cost.huge_pages_ns, 3), fixed(cost.cost_ns, 3),
                            fixed(cost_percent(cost), 1));
    text += fmt::format("# cost: {}\n", summary(costs));
    for (const std::string& remark : remarks_on(costs, noise_is_told))
        text += fmt::format("# remark: {}\n", remark);
    return text;
}

std::string translation_json(std::span<const TranslationCost> costs, bool noise_is_told) {
    using Json = nlohmann::ordered_json;
    Json document{{json_schema, schema_version}, {"translation", Json::array()}};
    for (const TranslationCost& cost : costs)
        document["translation"].push_back({{"thread", cost.thread},
                                           {json_size_bytes, std::llround(cost.size_bytes)},
                                           {"small_pages_ns", json_number(cost.small_pages_ns, 3)},
                                           {"huge_pages_ns", json_number(cost.huge_pages_ns, 3)},
                                           {"translation_ns", json_number(cost.cost_ns, 3)},
                                           {"translation_percent", json_number(cost_percent(cost), 1)}});
    document[json_remarks] = remarks_on(costs, noise_is_told);
    return document.dump(2) + "\n";
}

} // namespace memtest
