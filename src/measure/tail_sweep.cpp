#include "memtest/measure/tail_sweep.hpp"

#include "memtest/base/error.hpp"
#include "memtest/machine/disturbances.hpp"
#include "memtest/measure/load_settings.hpp"
#include "memtest/measure/rounds.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/measure/walker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <exception>
#include <iterator>
#include <memory>
#include <utility>

namespace memtest {
namespace {

constexpr std::size_t fewest_in_stretch = 32;

// No access takes so much longer than most. A memory controller may postpone eight refreshes (JESD79-4, 4.26) of 550 ns
// each in the largest chips: 4.4 us in one go. Twice that leaves room for the queues of a full load.
constexpr double longest_ns = 10'000;

/// Adds what a visit found to what is known of its row.
void join(TailRow& row, TailSamples&& visit) {
    if (const auto p50_ticks = percentile(visit.counts, 50))
        row.visit_p50_ticks.push_back(*p50_ticks);
    TailSamples& samples = row.samples;
    samples.group = visit.group;
    samples.made += visit.made;
    samples.set_aside += visit.set_aside;
    samples.ticks += visit.ticks;
    samples.stopped_ticks += visit.stopped_ticks;
    samples.longest_stop = std::max(samples.longest_stop, visit.longest_stop);
    for (const auto& [ticks, count] : visit.counts)
        samples.counts[ticks] += count;
    samples.cost_ticks.insert(samples.cost_ticks.end(), visit.cost_ticks.begin(), visit.cost_ticks.end());
    std::ranges::move(visit.batches, std::back_inserter(samples.batches));
}

/// The pauses that draw the loads, as they were found.
struct LoadPauses {
    std::vector<std::size_t> pauses{}; ///< empty if interrupted
    double peak_lines_per_ns = 0;
};

/// @throws MachineBusy where nothing under load counts
LoadPauses pauses_for(const TailSweep& sweep, TailProbe& probe, const PhraseSink& phrase_sink) {
    constexpr std::size_t samples = std::size_t{64} << 10U; // for some 15 ms
    constexpr double slack = 0.04;                          // 2 % of the peak for 50 and 100 %
    const auto visit = [&](std::size_t pause) {
        phrase_sink("finding the pauses of the load threads");
        auto sampled =
            probe.visit({.bytes = sweep.sizes.back(), .round = sweep.visits, .pause = pause, .samples = samples});
        return sampled ? std::move(sampled->batches) : std::vector<LoadBatch>{};
    };
    LoadPauses found;
    const auto want = [&](std::span<const LoadPair> known) {
        if (!known.empty())
            found.peak_lines_per_ns = std::ranges::max(known, {}, &LoadPair::lines_per_ns).lines_per_ns;
        std::vector<double> wanted;
        for (const double percent : sweep.load_percents)
            wanted.push_back(percent / 100 * found.peak_lines_per_ns);
        return wanted;
    };
    LoadSettings settings(want, visit, slack);
    if (!settings.start(sweep.load_processors) || !settings.fill_gaps(sweep.load_percents.size() + LoadSettings::spare))
        return found;
    for (const LoadSetting* setting : settings.chosen())
        found.pauses.push_back(*setting->pause);
    if (found.pauses.size() < sweep.load_percents.size())
        throw busy_under_load();
    return found;
}

/// See TailRow. None without load, or where no stretch counts.
std::optional<double> achieved_percent(const TailSamples& samples, double peak_lines_per_ns) {
    const auto lines = median_lines_per_ns(samples.batches);
    return lines && peak_lines_per_ns > 0 ? std::optional(100 * *lines / peak_lines_per_ns) : std::nullopt;
}

constexpr std::size_t most_in_stretch = 1024; // samples, whose readings take 8 KiB: L1 has that besides half of itself
constexpr double stretch_ns = 5e5;            // short compared with disturbances, so that little is set aside with one

/// Times the hops of its chain one by one, and looks at the load threads before and after each stretch.
class TailWalker : public Walker {
public:
    TailWalker(const TeamPlan& plan, const Placement& placement, const SystemFiles& files,
               const std::atomic<bool>& interrupted, const TickScale& scale, const LoadBoard& board,
               const TailVisit& visit, TailSamples& samples)
        : Walker(plan, placement, files, interrupted), interrupted_(interrupted), scale_(scale), board_(board),
          visit_(visit), published_(samples),
          reference_(std::as_writable_bytes(std::span(reference_lines_)), {.order = Order::random}) {
        reference_.grow_to(reference_lines_.size() * sizeof(Line));
    }

    [[nodiscard]] std::uint64_t prepare(const VisitPlan& visit) override {
        forget_what_fits(); // next to other loads the caches hold less
        return Walker::prepare(visit);
    }

    void measure(const TimingPlan& /*timing*/, Measurement& /*measurement*/) override {
        if (chains() == nullptr)
            return;
        TailSamples samples; // published at the end: the load threads read adjacent data during the visit
        samples.cost_ticks.push_back(cost_ticks());
        samples.group = visit_.group.value_or(
            group_for(ticks_per_sample(*chains(), group_of_cost) / group_of_cost, scale_.resolution_ticks));
        absent_ = absent_now();
        for (std::size_t fitting = fewest_in_stretch; samples.made < visit_.samples && !interrupted_;)
            fitting = sample_stretch(*chains(), samples, samples_in_stretch(fitting, visit_.samples - samples.made));
        published_ = std::move(samples);
    }

private:
    static constexpr std::size_t group_of_cost = 64;

    std::vector<std::size_t> absent_now() {
        return absent_threads(board_, clock_, [&](std::size_t accesses) { return chains()->walk(accesses); });
    }

    /// @return samples for the next stretch, which make it long enough
    std::size_t sample_stretch(Chains& chains, TailSamples& samples, std::size_t in_stretch) {
        const LoadLook before = look_at(board_, clock_);
        const Disturbances undisturbed = read_disturbances();
        chains.walk(std::min(chains.nodes(), most_in_stretch)); // the calls above took lines of L1
        const auto readings = std::span(readings_).first(in_stretch + 1);
        chains.time_hops(samples.group, readings);
        const bool preempted = was_stopped(undisturbed, read_disturbances());
        const LoadLook after = look_at(board_, clock_);
        LoadBatch& batch = samples.batches.emplace_back(LoadBatch{
            .lines_per_ns = lines_per_ns(before, after), .preempted = preempted, .absent = std::move(absent_)});
        absent_ = absent_now();
        batch.absent.insert(batch.absent.end(), absent_.begin(), absent_.end());
        add_stretch(samples, readings, counts(batch), scale_);
        const double fitting = static_cast<double>(in_stretch) * stretch_ns / scale_.ns_per_tick /
                               static_cast<double>(readings.back() - readings.front() + 1);
        return static_cast<std::size_t>(std::clamp<double>(fitting, fewest_in_stretch, most_in_stretch));
    }

    /// Readings quantise a sample, but not the mean of many. The median over runs ignores disturbed ones.
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
    std::vector<std::size_t> absent_;        // load threads, at the last check
    std::array<Line, 64> reference_lines_{}; // 4 KiB, which any L1 holds
    Chains reference_;
    std::array<std::uint64_t, most_in_stretch + 1> readings_{};
};

} // namespace

void run_tail_sweep(const TailSweep& sweep, TailProbe& probe, const TailRowSink& row_sink,
                    const PhraseSink& phrase_sink, const TimeIsUp& time_is_up) {
    require(!sweep.sizes.empty() && sweep.visits > 0, "a size is visited");
    LoadPauses under_load;
    std::exception_ptr busy; // thrown once the rows without load are there
    try {
        if (!sweep.load_percents.empty())
            under_load = pauses_for(sweep, probe, phrase_sink);
    } catch (const MachineBusy&) {
        busy = std::current_exception();
    }
    const std::vector<std::size_t>& pauses = under_load.pauses;
    struct Tail {
        std::optional<std::size_t> pause;
        TailRow row;
    };
    const auto visits =
        static_cast<unsigned>(std::clamp<std::size_t>(sweep.samples / fewest_in_stretch, 1, sweep.visits));
    const auto samples_before = [&](std::size_t visit) {
        return sweep.samples / visits * visit + sweep.samples % visits * visit / visits;
    };
    std::vector<Tail> tails;
    for (const std::size_t bytes : sweep.sizes) {
        tails.push_back({.pause = std::nullopt, .row = {.size_bytes = bytes}});
        for (std::size_t load = 0; load < pauses.size(); ++load)
            tails.push_back(
                {.pause = pauses[load], .row = {.size_bytes = bytes, .load_percent = sweep.load_percents[load]}});
    }
    std::map<std::size_t, std::optional<std::size_t>> groups;   // by size: its rows could not be compared otherwise
    std::size_t to_measure = tails.size() - sweep.sizes.size(); // under load, less those that were given up
    visit_in_rounds(
        tails.size(),
        [&](std::size_t place, unsigned round, std::size_t /*done*/) -> std::optional<bool> {
            phrase_sink(fmt::format("visit {} of {} to row {} of {}", round + 1, visits, place + 1, tails.size()));
            auto& [pause, row] = tails[place];
            auto found = probe.visit({.bytes = row.size_bytes,
                                      .round = round,
                                      .pause = pause,
                                      .samples = samples_before(round + std::size_t{1}) - samples_before(round),
                                      .group = groups.emplace(row.size_bytes, sweep.group).first->second});
            if (!found)
                return std::nullopt;
            groups[row.size_bytes] = found->group;
            join(row, std::move(*found));
            constexpr std::size_t many = std::size_t{1} << 16U; // of several milliseconds, spread over the run
            const bool is_given_up =
                pause && round >= 7 && round + 1 < visits && row.samples.made >= many && row.samples.counts.empty();
            if (is_given_up && --to_measure == 0)
                throw busy_under_load();
            return is_given_up || round + 1 == visits;
        },
        [&](std::size_t place) {
            TailRow row = std::exchange(tails[place].row, {});
            if (row.load_percent > 0)
                row.achieved_percent = achieved_percent(row.samples, under_load.peak_lines_per_ns);
            if (row.load_percent == 0 || to_measure > 0)
                row_sink(row);
        },
        time_is_up);
    if (busy)
        std::rethrow_exception(busy);
}

double reading_cost(double single_ticks, double group_ticks, std::size_t group) {
    const auto hops = static_cast<double>(group);
    return (hops * single_ticks - group_ticks) / (hops - 1);
}

std::size_t group_for(double hop_ticks, double resolution_ticks) {
    constexpr double steps = 10; // for percentiles that are right to a tenth of a hop
    if (hop_ticks >= resolution_ticks)
        return 1;
    const double hops = steps * resolution_ticks / std::max(hop_ticks, steps * resolution_ticks / largest_group);
    return std::bit_ceil(static_cast<std::size_t>(std::ceil(hops)));
}

std::size_t samples_in_stretch(std::size_t fitting, std::size_t left) {
    if (left <= fitting)
        return left;
    return left < fitting + fewest_in_stretch ? left / 2 : fitting;
}

std::optional<std::uint64_t> percentile(const TickCounts& counts, double percent) {
    constexpr std::uint64_t fewest_beyond = 10;
    std::uint64_t samples = 0;
    for (const auto& [ticks, count] : counts)
        samples += count;
    const auto rank = static_cast<std::uint64_t>(std::ceil(percent / 100 * static_cast<double>(samples) - 1e-6));
    if (samples < rank + fewest_beyond)
        return std::nullopt;
    std::uint64_t below = 0;
    for (const auto& [ticks, count] : counts) {
        below += count;
        if (below >= rank)
            return ticks;
    }
    return std::nullopt;
}

void add_stretch(TailSamples& samples, std::span<const std::uint64_t> readings, bool counts, const TickScale& scale) {
    std::vector<std::uint64_t> took;
    for (std::size_t i = 1; i < readings.size(); ++i)
        took.push_back(readings[i] - readings[i - 1]);
    samples.made += took.size();
    samples.ticks += readings.back() - readings.front();
    std::ranges::sort(took);
    const std::uint64_t usual = took[took.size() / 2];
    const std::uint64_t longest = usual + static_cast<std::uint64_t>(longest_ns / scale.ns_per_tick);
    const auto cost = static_cast<std::uint64_t>(std::max(0.0, std::round(samples.cost_ticks.back())));
    for (const std::uint64_t ticks : took) {
        const bool is_stopped = ticks > longest;
        if (is_stopped) {
            samples.stopped_ticks += ticks - usual;
            samples.longest_stop = std::max(samples.longest_stop, ticks - usual);
        }
        if (is_stopped || !counts)
            ++samples.set_aside;
        else
            ++samples.counts[ticks - std::min(ticks, cost)];
    }
}

TailTeam::TailTeam(const TeamPlan& plan, const LoadPattern& pattern, const TickScale& scale, const SystemFiles& files,
                   const std::atomic<bool>& interrupted)
    : team_(plan, pattern, files, interrupted,
            [plan, scale, files, &interrupted, this](const Placement& placement, const LoadBoard& board) {
                return std::make_unique<TailWalker>(plan, placement, files, interrupted, scale, board, visit_,
                                                    samples_);
            }) {}

std::optional<TailSamples> TailTeam::visit(const TailVisit& visit) {
    visit_ = visit;
    const bool is_whole = team_.visit(visit.pause, {.bytes = visit.bytes, .round = visit.round});
    return is_whole ? std::optional(std::exchange(samples_, {})) : std::nullopt;
}

} // namespace memtest
