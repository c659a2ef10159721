#include "memtest/cli/commands/tlb.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/measuring.hpp"
#include "memtest/cli/plan.hpp"
#include "memtest/kinds/tlb.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/result/description.hpp"
#include "memtest/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace memtest {
namespace {

constexpr std::size_t default_pages = 16384; // four times the largest second-level TLB known
constexpr std::size_t least_pages = 16;
constexpr unsigned rounds = 9; // three that agree are a quarter of the way
constexpr double tlb_seconds = 8;
constexpr double share_of_rounds = 0.7; // of the time; the others are for numbers of pages near the edges

std::vector<MeasuringOption> tlb_option_table() {
    return measuring_options<Options>(
        {shared_option("max-size", "largest tested memory, of which one line in each page is walked",
                       "16384 pages, at most 1024 MiB"),
         shared_option("seed"), one_processor_option(),
         shared_option("pages", shared_option("pages").help, "4k, whose translation costs most"), time_option("8")});
}

/// @throws Error if some of the memory is in pages of another size
void check_granted(const PageProbePlan& plan, const GrantedPages& granted) {
    if (!is_all_in_pages_of(granted, plan.units.page_bytes))
        throw Error(fmt::format("--pages {}: the kernel gave pages of {}{}", word_of(plan.pages),
                                text_of(std::vector{pages_got(granted)}),
                                plan.pages == PageKind::base
                                    ? fmt::format(", though it has base pages of {}", human_size(plan.units.page_bytes))
                                    : "; free some memory, or give --pages 4k"));
}

void measure_tlb(MeasuredResult& result, const TlbRun& tlb, const Machine& machine) {
    const TeamPlan& team = tlb.team;
    const PageProbePlan& plan = tlb.pages;
    if (plan.processor)
        pin_to(*plan.processor);
    PageProbe probe(plan, machine.files, Interruption::requested());
    const ThreadFacts facts = probe.facts(machine.files);
    check_granted(plan, facts.pages);
    RunDescription run = describe_machine(team, machine, {facts});
    run.line_bytes = plan.units.line_bytes;
    run.seed = plan.seed;
    run.most_seconds = tlb_seconds;
    const std::vector<std::size_t> pages = numbers_of_pages(plan.most_pages);
    result.begin({fmt::format("memtest {}: cost of address translation on one thread", version),
                  fmt::format("One line in each of 4 to {} pages of {}, less the same number of lines in few pages",
                              plan.most_pages, human_size(plan.units.page_bytes)),
                  fmt::format("Min of {} rounds", rounds)},
                 run, pages.size());
    result.warn_of_kinds(team.processors, {}, machine);

    const double cycle_ns = 1 / facts.core_ghz.value_or(usual_ghz);
    std::vector<TranslationPoint> points;
    result.measure([&] {
        points = sweep_translation(
            probe, pages, rounds,
            [&, is_up = result.time_is_up()](TranslationCurve curve) {
                const auto next = next_pages(curve, cycle_ns);
                return next && is_up(1) ? std::nullopt : next;
            },
            result.progress(), result.time_is_up(share_of_rounds));
        for (const TranslationPoint& point : points)
            result.row(tlb_row(point, plan.units.page_bytes));
    });
    if (!result.is_whole())
        return result.end({});
    TlbReport report = read_tlb(points, static_cast<double>(plan.units.page_bytes), result.run());
    report.splits_huge_pages = finds_split_pages(report.translation, plan, machine.files);
    result.end(tlb_findings(report), {}, {}, answer_of(report));
}

ExitStatus run_tlb(const CommandLine& line) {
    Options options = options_of_tlb(line);
    const Machine machine = read_machine();
    options.shape = unforeseen_chain(team_for(options, machine), machine);
    const TlbRun run = plan_tlb(options, machine);
    return measure_result(tlb_kind, options, line, [&](MeasuredResult& result) { measure_tlb(result, run, machine); });
}

} // namespace

bool finds_split_pages(const Translation& translation, PageProbePlan plan, const SystemFiles& files) {
    if (translation.tlbs.empty() || plan.units.page_bytes == plan.units.base_page_bytes)
        return false;
    plan.most_pages = 2 * translation.tlbs.front().entries;
    plan.units.page_bytes = plan.units.base_page_bytes;
    try {
        PageProbe probe(plan, files, Interruption::requested());
        const auto points = sweep_translation(
            probe, {plan.most_pages}, rounds, [](TranslationCurve) { return std::nullopt; }, [](auto) {});
        return !points.empty() && splits_huge_pages(translation.tlbs.front(), points.front());
    } catch (const std::exception&) { // no memory for a check that no one asked for
        return false;
    }
}

Options options_of_tlb(const CommandLine& line) {
    const Options defaults{.shape = {.order = Order::random}, .pages = PageKind::base};
    return with_options(defaults, tlb_option_table(), line);
}

TlbRun plan_tlb(const Options& options, const Machine& machine) {
    const TeamPlan team = team_for(options, machine);
    PageProbePlan plan{
        .pages = team.pages,
        .units = {.page_bytes = page_bytes_of(team.pages, machine.files),
                  .base_page_bytes = base_page_bytes(),
                  .line_bytes =
                      line_bytes_of(machine.allowed, team.processors.front()).value_or(options.shape.line_bytes)},
        .processor = team.pinned ? std::optional(team.processors.front()) : std::nullopt,
        .seed = options.shape.seed,
        .orders = options.shape.orders,
        .link = options.shape.link};
    const std::size_t page = plan.units.page_bytes;
    const auto bytes_for = [&](std::size_t lines) {
        return page_chain_bytes(Layout::spread, lines, plan.units) +
               page_chain_bytes(Layout::packed, lines, plan.units) + page; // in which the spread lines end
    };
    const std::size_t least = bytes_for(least_pages);
    const auto bytes = static_cast<std::size_t>(
        share_of_memory({.option = "max-size",
                         .asked = options.max_bytes,
                         .usual = default_max_bytes,
                         .least = least,
                         .least_name = fmt::format("the minimum, {} pages of {},", least_pages, human_size(page))},
                        team, machine)
            .bytes);
    plan.most_pages = bytes < page ? 0 : (bytes - page) / (bytes_for(1) - page);
    if (plan.most_pages < least_pages)
        throw usage_error(fmt::format("--max-size {} holds {} of {}; the minimum is {} MiB", human_size(bytes),
                                      counted(plan.most_pages, "page"), human_size(page),
                                      units_for<std::uint64_t>(least, mib)));
    if (!options.max_bytes)
        plan.most_pages = std::min(plan.most_pages, default_pages);
    check_pages_available(team.pages, memory_bytes_for(plan), options.threads, team.nodes, machine.files);
    return {team, plan};
}

const Command tlb_command{.name = "tlb",
                          .summary = "measure the cost of address translation",
                          .examples = {{{"memtest tlb", "TLBs and page walks with 4 KiB pages"},
                                        {"memtest tlb --pages thp", "the same with huge pages"}}},
                          .about = "Measures the cost of address translation by number of pages in use. It times a\n"
                                   "walk through one line in each page and subtracts a walk through as many lines\n"
                                   "in few pages. It prints the difference as CSV, then the TLBs that it finds.\n",
                          .options = [] { return texts_of(tlb_option_table()); },
                          .run = run_tlb};

} // namespace memtest
