// What is inferred from generated results, figure by figure: tests/data/inferred has a file for each kind. The other
// tests say what is right; these notice whatever changes.
#include "memtest/insight/levels.hpp"
#include "memtest/insight/translation.hpp"
#include "memtest/result/notice.hpp"
#include "support/generated_translation.hpp"
#include "support/level_rates.hpp"
#include "support/reference_curves.hpp"
#include "support/test.hpp"
#include "support/text_file.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace memtest {
namespace {

using test::Random;

/// Compares line by line with the file of that name, or writes it with MEMTEST_UPDATE_GOLDEN.
void expect_as_in(const std::string& name, const std::string& inferred) {
    const std::string path = fmt::format("{}/inferred/{}.txt", TEST_DATA, name);
    if (std::getenv("MEMTEST_UPDATE_GOLDEN") != nullptr)
        std::ofstream(path) << inferred;
    std::istringstream known(read_text(path));
    std::istringstream found(inferred);
    std::string left;
    std::string right;
    while (std::getline(known, left) && std::getline(found, right))
        EXPECT_EQ(left, right);
    EXPECT_EQ(read_text(path), inferred) << "If this is right: MEMTEST_UPDATE_GOLDEN=1, and read the diff";
}

std::string text_of(std::optional<double> number) {
    return number ? fmt::format("{:.5g}", *number) : "-";
}

std::string text_of(const Hierarchy& hierarchy) {
    std::string text;
    for (const Level& level : hierarchy.caches)
        text += fmt::format(" | {}..{}..{} {:.4g} ns at {:.5g}..{:.5g}, edge {:.5g} {} {}{} {} {}{}",
                            text_of(level.capacity_low_bytes), text_of(level.capacity_bytes),
                            text_of(level.capacity_high_bytes), level.latency_ns, level.from_bytes, level.to_bytes,
                            level.edge.capacity_bytes, level.edge.random_share, level.edge.ways,
                            level.edge.once_per_lap ? " once" : "", word_of(level.capacity_confidence),
                            word_of(level.latency_confidence),
                            level.contested_to_bytes ? ", contested to " + text_of(level.contested_to_bytes) : "");
    if (hierarchy.memory)
        text += fmt::format(" | memory {:.4g} ns at {:.5g}..{:.5g} {}", hierarchy.memory->latency_ns,
                            hierarchy.memory->from_bytes, hierarchy.memory->to_bytes,
                            word_of(hierarchy.memory->latency_confidence));
    for (const Code remark : hierarchy.remarks)
        text += fmt::format(" {}", word_of(remark));
    return text;
}

/// In five ways: as it is, cut, disturbed, prefetched and contested.
std::string read_in_turn(std::vector<CurvePoint> points, std::size_t turn, bool small_pages) {
    std::optional<Order> order = turn % 2 == 0 ? std::optional(Order::random) : std::nullopt;
    if (turn % 5 == 1)
        points.resize(points.size() * (2 + turn % 3) / 5);
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (turn % 5 == 2 && i % 7 == turn % 7)
            points[i] = {points[i].size_bytes, points[i].latency_ns * (1 + 0.1 * static_cast<double>(turn % 4)), true};
        if (turn % 5 == 3)
            points[i].latency_ns = std::sqrt(points[i].latency_ns);
        if (turn % 5 == 4 && i % 11 == turn % 11)
            points[i].contested = LatencyBand{.low_ns = 1, .high_ns = 2};
    }
    if (turn % 5 == 3)
        order = Order::backward;
    Hierarchy hierarchy = infer_levels(points, {.order = order, .small_pages = small_pages});
    std::string text = text_of(hierarchy);
    doubt_translation(hierarchy, 4096);
    for (const Level& level : hierarchy.caches)
        text += word_of(level.capacity_confidence).front();
    return text + '\n';
}

TEST(GoldenInference, OfLevels) {
    std::vector<test::CurveKind> kinds{test::drawn_hierarchies(25), test::plausible_machines_at(2, 1),
                                       test::plausible_machines_at(4, 1)};
    for (const auto replacement :
         {test::Replacement::least_recently_used, test::Replacement::random, test::Replacement::in_proportion})
        kinds.push_back(test::off_grid(replacement, 5));
    const std::vector<test::CurveKind> hard = test::hard_classes_at(4, 3);
    kinds.insert(kinds.end(), hard.begin(), hard.end());
    std::string inferred;
    for (const test::CurveKind& kind : kinds) {
        inferred += kind.name + '\n';
        for (std::uint64_t i = 0; i < kind.curves; ++i)
            inferred += read_in_turn(kind.draw(i).points, i, kind.small_pages);
    }
    for (const test::ReferenceCurve& curve : test::reference_curves())
        inferred += curve.name + text_of(infer_levels(curve.points)) + '\n';
    expect_as_in("levels", inferred);
}

TEST(GoldenInference, OfTranslation) {
    std::string inferred;
    Random random(1);
    for (int machine = 0; machine < 80; ++machine) {
        TranslationMachine drawn{
            .first = {static_cast<std::size_t>(random.integer(8, 120)), static_cast<Replacement>(machine % 4)},
            .second = {static_cast<std::size_t>(64 * random.integer(4, 48)),
                       static_cast<Replacement>((machine / 4 + 2) % 4)},
            .second_hit_ns = random.uniform(0.4, 3),
            .walk_ns = random.uniform(3, 20),
            .walk_growth = random.uniform(1, 1.7),
            .noise = machine % 3 == 0 ? 0.1 : 0.01};
        if (machine % 7 == 0)
            drawn.second.entries = 0;
        GeneratedTranslation probe(drawn, static_cast<std::uint64_t>(machine) + 1);
        if (machine % 5 == 0)
            probe.disturb(static_cast<std::size_t>(random.integer(0, 300)), 5);
        constexpr double cycle_ns = 0.3;
        const auto curve = sweep_translation(
            probe, numbers_of_pages(machine % 2 == 0 ? 16384 : 3000), 5,
            [](TranslationCurve points) { return next_pages(points, cycle_ns); }, [](const std::string&) {});
        const Translation found = read_translation(curve, cycle_ns);
        inferred += fmt::format("{} points", curve.size());
        for (const Tlb& tlb : found.tlbs)
            inferred += fmt::format(" | {}..{}..{} {:.4g} + {:.4g} ns {}", tlb.entries_low, tlb.entries,
                                    tlb.entries_high, tlb.hit_ns, tlb.miss_ns, word_of(tlb.confidence));
        for (const CostAtPages& cost : found.beyond)
            inferred += fmt::format(" | {:.4g} ns at {}", cost.ns, cost.pages);
        for (const std::size_t pages : found.disturbed_pages)
            inferred += fmt::format(" disturbed at {}", pages);
        if (!found.tlbs.empty())
            inferred += fmt::format(" {:.4g} {:.4g}", cost_in_random_sweep_ns(found, 200),
                                    cost_in_random_sweep_ns(found, 10000));
        inferred += '\n';
    }
    expect_as_in("translation", inferred);
}

} // namespace
} // namespace memtest
