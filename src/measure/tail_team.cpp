#include "memtest/measure/tail_team.hpp"

#include "memtest/machine/disturbances.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/measure/walker.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

namespace memtest {
namespace {

constexpr std::size_t most_in_stretch = 1024; // samples, whose readings take 8 KiB: L1 has that beside half of itself
constexpr std::size_t fewest_in_stretch = 32;
constexpr double stretch_ns = 5e5; // short against what disturbs, so that little is set aside with it

/// Times the hops of its chain one by one, and looks at the loaders before and after each stretch.
class TailWalker : public Walker {
public:
    TailWalker(const TeamPlan& plan, const Seat& seat, const SystemFiles& files, const std::atomic<bool>& interrupted,
               const TickScale& scale, const LoadBoard& board, const TailVisit& visit, TailSamples& samples)
        : Walker(plan, seat, files, interrupted), interrupted_(interrupted), scale_(scale), board_(board),
          visit_(visit), published_(samples),
          reference_(std::as_writable_bytes(std::span(reference_lines_)), {.order = Order::random}) {
        reference_.grow_to(reference_lines_.size() * sizeof(Line));
    }

    [[nodiscard]] std::uint64_t prepare(const VisitPlan& visit) override {
        forget_what_fits(); // beside other loads the caches hold less
        return Walker::prepare(visit);
    }

    void measure(const TimingPlan& /*timing*/, Measurement& /*measurement*/) override {
        if (chains() == nullptr)
            return;
        TailSamples samples; // published at the end: the loaders read what lies beside it meanwhile
        samples.cost_ticks.push_back(cost_ticks());
        samples.group = visit_.group.value_or(
            group_for(ticks_per_sample(*chains(), group_of_cost) / group_of_cost, scale_.resolution_ticks));
        for (std::size_t next = fewest_in_stretch; samples.made < visit_.samples && !interrupted_;)
            next = sample_stretch(*chains(), samples, next);
        published_ = std::move(samples);
    }

private:
    static constexpr std::size_t group_of_cost = 64;

    /// @return samples for the next one, which they make long enough
    std::size_t sample_stretch(Chains& chains, TailSamples& samples, std::size_t in_stretch) {
        const LoadLook before = look_at(board_, clock_);
        const Disturbances undisturbed = read_disturbances();
        chains.walk(std::min(chains.nodes(), most_in_stretch)); // what was just called took lines of L1
        const auto readings = std::span(readings_).first(in_stretch + 1);
        chains.time_hops(samples.group, readings);
        const bool preempted = read_disturbances().preemptions > undisturbed.preemptions;
        const LoadLook after = look_at(board_, clock_);
        const LoadBatch& batch = samples.batches.emplace_back(
            LoadBatch{.preempted = preempted, .lines_per_ns = rates_between(before, after)});
        add_stretch(samples, readings, counts(batch, visit_.load), scale_);
        if (chains.nodes() < most_in_stretch * samples.group) // what is slow comes back with the lap
            samples.stretches.clear();
        const double fitting = static_cast<double>(in_stretch) * stretch_ns / scale_.ns_per_tick /
                               static_cast<double>(readings.back() - readings.front() + 1);
        return static_cast<std::size_t>(std::clamp<double>(fitting, fewest_in_stretch, most_in_stretch));
    }

    /// Readings quantise a sample, but not the mean of many. The median over runs leaves out those that were disturbed.
    static double ticks_per_sample(Chains& chains, std::size_t group) {
        constexpr std::size_t samples_in_run = 64;
        std::vector<double> runs(31);
        for (double& ticks : runs) {
            std::array<std::uint64_t, samples_in_run + 1> readings{};
            chains.time_hops(group, readings);
            ticks = static_cast<double>(readings.back() - readings.front()) / samples_in_run;
        }
        return median(std::move(runs));
    }

    double cost_ticks() {
        return reading_cost(ticks_per_sample(reference_, 1), ticks_per_sample(reference_, group_of_cost),
                            group_of_cost);
    }

    struct alignas(64) Line {
        std::array<std::uintptr_t, 64 / sizeof(std::uintptr_t)> words;
    };

    const std::atomic<bool>& interrupted_;
    TickScale scale_;
    const LoadBoard& board_;
    const TailVisit& visit_;
    TailSamples& published_;
    MonotonicClock clock_;
    std::array<Line, 64> reference_lines_{}; // 4 KiB, which any L1 holds
    Chains reference_;
    std::array<std::uint64_t, most_in_stretch + 1> readings_{};
};

} // namespace

TailTeam::TailTeam(const TeamPlan& plan, const LoadPattern& pattern, const TickScale& scale, const SystemFiles& files,
                   const std::atomic<bool>& interrupted)
    : board_(plan.processors.size() - 1, pattern),
      team_(plan.processors.size(),
            beside_loaders(plan, files, interrupted, board_,
                           [plan, scale, files, &interrupted, this](const Seat& seat) {
                               return std::make_unique<TailWalker>(plan, seat, files, interrupted, scale, board_,
                                                                   visit_, samples_);
                           }),
            interrupted) {}

std::optional<TailSamples> TailTeam::visit(const TailVisit& visit) {
    board_.pause = visit.load.pause;
    visit_ = visit;
    const auto measured = team_.visit({.bytes = visit.bytes, .round = visit.round});
    return measured.empty() ? std::nullopt : std::optional(std::exchange(samples_, {}));
}

} // namespace memtest
