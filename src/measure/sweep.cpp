#include "memtest/measure/sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/measure/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace memtest {

namespace {

/// A size during a sweep.
struct VisitedSize {
    std::size_t bytes;
    TimingPlan left;                                 ///< of the accesses, batches and visits
    std::vector<std::vector<Measurement>> visits{};  ///< by thread, then by round
    unsigned visits_not_held = 0;                    ///< by the caches, on any thread
    std::optional<double> latency_ns = std::nullopt; ///< so far, on the first thread
    bool is_done = false;
};

/// How many visits a size gets in all. If the caches do not hold it, disturbances both add and take away time, and more
/// visits only meet more accidents: it gets half of them.
unsigned most_visits(const VisitedSize& size, const TimingPlan& timing) {
    return timing.precision_percent && std::size_t{2} * size.visits_not_held > size.visits.front().size()
               ? std::max((timing.visits + 1) / 2, fewest_visits(timing.estimate))
               : timing.visits;
}

/// Adds a visit by all threads.
void take(VisitedSize& size, std::vector<Measurement> measured, const TimingPlan& timing) {
    std::uint64_t accesses = 0;
    std::size_t batches = 0;
    size.visits_not_held += std::ranges::all_of(measured, &Measurement::is_held) ? 0U : 1U;
    size.visits.resize(measured.size());
    for (std::size_t thread = 0; thread < measured.size(); ++thread) {
        accesses = std::max(accesses, measured[thread].timing.accesses);
        batches = std::max(batches, measured[thread].timing.batch_ns.size());
        size.visits[thread].push_back(std::move(measured[thread]));
    }
    size.left.accesses -= std::min(size.left.accesses, accesses);
    size.left.batches -= std::min(size.left.batches, static_cast<unsigned>(batches));
    --size.left.visits;
    bool agree = true;
    for (const auto& visits : size.visits) {
        const VisitsSoFar so_far = judge_visits(visits, timing);
        agree = agree && so_far.agree;
        if (&visits == &size.visits.front())
            size.latency_ns = so_far.latency_ns;
    }
    size.is_done = size.left.accesses == 0 || agree || size.visits.front().size() >= most_visits(size, timing);
}

/// What is known of sizes that most machines hold in L1, in L2 and in no cache; further visits may change it.
std::string phrase_on(std::span<const VisitedSize> sizes, unsigned round) {
    std::string figures;
    std::size_t last_bytes = 0;
    for (const double wanted_bytes : {16.0 * kib, 256.0 * kib, 64.0 * mib}) {
        const auto octaves_off = [&](const VisitedSize& size) {
            return size.latency_ns ? std::abs(std::log2(static_cast<double>(size.bytes) / wanted_bytes))
                                   : std::numeric_limits<double>::infinity();
        };
        const VisitedSize& nearest = *std::ranges::min_element(sizes, {}, octaves_off);
        if (!nearest.latency_ns || nearest.bytes <= last_bytes)
            continue;
        append(figures, fmt::format("{} ~{} ns", rounded_size(static_cast<double>(nearest.bytes)),
                                    plain_number(*nearest.latency_ns, 3)));
        last_bytes = nearest.bytes;
    }
    return fmt::format("{}; round {}", figures.empty() ? counted(sizes.size(), "size") : figures, round + 1);
}

} // namespace

void run_sweep(const Sweep& sweep, Probe& probe, Clock& clock, const RowSink& row_sink, const PhraseSink& phrase_sink,
               const TimeIsUp& time_is_up) {
    require(sweep.timing.visits > 0, "a sweep visits each size");
    std::vector<VisitedSize> sizes;
    for (const std::size_t bytes : sweep.sizes)
        sizes.push_back({.bytes = bytes, .left = sweep.timing});
    const std::uint64_t began_ns = clock.now_ns();
    visit_in_rounds(
        sizes.size(),
        [&](std::size_t place, unsigned round, std::size_t /*done*/) -> std::optional<bool> {
            phrase_sink(phrase_on(sizes, round));
            VisitedSize& size = sizes[place];
            std::vector<Measurement> measured = probe.visit({.bytes = size.bytes, .round = round, .left = size.left});
            if (measured.empty())
                return std::nullopt;
            take(size, std::move(measured), sweep.timing);
            return size.is_done;
        },
        [&](std::size_t place) {
            VisitedSize& size = sizes[place];
            const bool is_used_up = size.left.accesses == 0 || size.left.visits == 0;
            for (std::size_t thread = 0; thread < size.visits.size(); ++thread) {
                Row row =
                    join_visits(static_cast<int>(thread), size.bytes, size.visits[thread], sweep.timing, began_ns);
                row.is_settled = row.is_settled || !is_used_up; // else it was given up early, or cut short
                row_sink(row);
            }
            size.visits.clear();
        },
        time_is_up);
}

} // namespace memtest
