#include "memtest/report/translation_report.hpp"

#include "memtest/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace memtest {
namespace {

std::string summary(std::span<const TranslationCost> costs, bool noise_is_told) {
    const auto known =
        std::ranges::count_if(costs, [](const TranslationCost& cost) { return cost.cost_ns.has_value(); });
    const auto reversed = std::ranges::count_if(costs, &TranslationCost::reversed);
    std::string text = fmt::format("# cost: told at {} of {} sizes; at the others noise explains the difference\n",
                                   known, costs.size());
    if (reversed > 0)
        text += fmt::format("# remark: at {} size{} huge pages were slower by more than noise explains; something else "
                            "differed, sweep again\n",
                            reversed, reversed == 1 ? "" : "s");
    if (!noise_is_told)
        text +=
            "# remark: not all sizes say how noisy they were, and an ordinary noise is assumed; sweep with --stats\n";
    return text;
}

} // namespace

std::string translation_csv(std::span<const TranslationCost> costs, bool noise_is_told) {
    std::string text = "Thread, Mem size (MiB), Small pages (ns), Huge pages (ns), Translation (ns), Translation (%)\n";
    for (const TranslationCost& cost : costs) {
        fmt::format_to(std::back_inserter(text), "{}, {:.5f}, {:.3f}, {:.3f}, ", cost.thread, cost.size_bytes / mib,
                       cost.small_pages_ns, cost.huge_pages_ns);
        text += cost.cost_ns ? fmt::format("{:.3f}, {:.1f}\n", *cost.cost_ns, 100 * *cost.cost_ns / cost.huge_pages_ns)
                             : ", \n";
    }
    return text + summary(costs, noise_is_told);
}

} // namespace memtest
