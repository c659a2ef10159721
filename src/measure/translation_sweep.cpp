#include "memtest/measure/translation_sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/chain/schedule.hpp"
#include "memtest/measure/rounds.hpp"
#include "memtest/measure/statistics.hpp"

#include <algorithm>

namespace memtest {
namespace {

double smallest_to_quartile(const TranslationPoint& point, double TranslationRound::*layout) {
    std::vector<double> latencies;
    for (const TranslationRound& round : point.rounds)
        latencies.push_back(round.*layout);
    std::ranges::sort(latencies);
    return quantile(latencies, 0.25) - latencies.front();
}

/// Numbers of pages that are measured together, in so many rounds each.
class VisitedPages : public Visited {
public:
    VisitedPages(TranslationProbe& probe, std::span<TranslationPoint> points, unsigned rounds,
                 const StepSink& progress_sink)
        : probe_(probe), points_(points), rounds_(rounds), progress_sink_(progress_sink) {}

    [[nodiscard]] std::size_t count() const override { return points_.size(); }

    [[nodiscard]] bool is_done(std::size_t place) const override { return points_[place].rounds.size() >= rounds_; }

    [[nodiscard]] bool visit(std::size_t place, unsigned round, std::size_t /*done*/) override {
        progress_sink_(points_.size() * round + place, points_.size() * rounds_);
        const auto measured = probe_.measure(points_[place].pages, round % 2 == 0 ? Layout::spread : Layout::packed);
        if (measured)
            points_[place].rounds.push_back(*measured);
        return measured.has_value();
    }

    void give(std::size_t /*place*/) override {} // the points are the rows

private:
    TranslationProbe& probe_;
    std::span<TranslationPoint> points_;
    unsigned rounds_;
    const StepSink& progress_sink_;
};

/// @return whether all rounds were made
bool measure_rounds(TranslationProbe& probe, std::span<TranslationPoint> points, unsigned rounds,
                    const StepSink& progress_sink) {
    VisitedPages pages(probe, points, rounds, progress_sink);
    return visit_in_rounds(pages);
}

} // namespace

TranslationRound smallest_of(const TranslationPoint& point) {
    require(!point.rounds.empty(), "the smallest is of at least one round");
    return {.spread_ns = std::ranges::min(point.rounds, {}, &TranslationRound::spread_ns).spread_ns,
            .packed_ns = std::ranges::min(point.rounds, {}, &TranslationRound::packed_ns).packed_ns};
}

double disagreement_ns(const TranslationPoint& point) {
    return smallest_to_quartile(point, &TranslationRound::spread_ns) +
           smallest_to_quartile(point, &TranslationRound::packed_ns);
}

std::vector<std::size_t> numbers_of_pages(std::size_t most) {
    constexpr std::size_t page = 64; // of a schedule of sizes, which are not as near to each other as numbers may be
    std::vector<std::size_t> numbers =
        sweep_sizes({.first_bytes = 4 * page, .last_bytes = most * page, .line_bytes = page, .points_per_doubling = 4});
    for (std::size_t& number : numbers)
        number /= page;
    return numbers;
}

std::vector<TranslationPoint> sweep_translation(TranslationProbe& probe, const std::vector<std::size_t>& pages,
                                                unsigned rounds, const NextPages& next_pages,
                                                const StepSink& progress_sink) {
    std::vector<TranslationPoint> points;
    for (const std::size_t count : pages)
        points.push_back({.pages = count, .rounds = {}});
    bool whole = measure_rounds(probe, points, rounds, progress_sink);
    while (whole) {
        const auto next = next_pages(points);
        if (!next)
            break;
        const auto place = std::ranges::lower_bound(points, *next, {}, &TranslationPoint::pages);
        require(place == points.end() || place->pages != *next, "a further number of pages is a new one");
        TranslationPoint& point = *points.insert(place, {.pages = *next, .rounds = {}});
        whole = measure_rounds(probe, {&point, 1}, rounds, [](std::size_t /*done*/, std::size_t /*of*/) {});
    }
    std::erase_if(points, [](const TranslationPoint& point) { return point.rounds.empty(); });
    return points;
}

} // namespace memtest
