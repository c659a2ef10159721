// Warm-ups of simulated caches, judged by what a walk of many laps finds in them.
#include "memtest/measure/warm_up.hpp"

#include "memtest/chain/random.hpp"
#include "support/fake_clock.hpp"
#include "support/test.hpp"

#include <atomic>
#include <list>
#include <memory>
#include <numeric>
#include <ostream>

namespace memtest {
namespace {

/// A fully associative cache of lines.
class FakeCache {
public:
    explicit FakeCache(std::size_t lines) : lines_(lines) {}
    virtual ~FakeCache() = default;

    /// @return whether it is a hit
    virtual bool access(std::size_t line) = 0;
    virtual void clear() = 0;

    [[nodiscard]] std::size_t lines() const { return lines_; }

private:
    std::size_t lines_;
};

class LruCache : public FakeCache {
public:
    using FakeCache::FakeCache;

    bool access(std::size_t line) override {
        places_.resize(std::max(places_.size(), line + 1));
        const bool is_hit = places_[line].has_value();
        if (is_hit)
            recent_.erase(*places_[line]);
        else if (recent_.size() == lines())
            evict();
        recent_.push_front(line);
        places_[line] = recent_.begin();
        return is_hit;
    }

    void clear() override {
        while (!recent_.empty())
            evict();
    }

private:
    void evict() {
        places_[recent_.back()].reset();
        recent_.pop_back();
    }

    std::list<std::size_t> recent_;
    std::vector<std::optional<std::list<std::size_t>::iterator>> places_;
};

class RandomCache : public FakeCache {
public:
    using FakeCache::FakeCache;

    bool access(std::size_t line) override {
        is_held_.resize(std::max(is_held_.size(), line + 1));
        if (is_held_[line])
            return true;
        is_held_[line] = true;
        if (held_.size() < lines()) {
            held_.push_back(line);
        } else {
            std::size_t& victim = held_[static_cast<std::size_t>(random_.below(lines()))];
            is_held_[victim] = false;
            victim = line;
        }
        return false;
    }

    void clear() override {
        held_.clear();
        is_held_.clear();
    }

private:
    std::vector<std::size_t> held_;
    std::vector<bool> is_held_;
    SplitMix64 random_{3};
};

constexpr std::uint64_t hit_ns = 10;
constexpr std::uint64_t miss_ns = 100;

/// A chain of lines, walked through a cache.
class FakeChain {
public:
    FakeChain(FakeCache& cache, std::size_t lines, FakeClock& clock, bool can_flush)
        : cache_(cache), clock_(clock), order_(lines), can_flush_(can_flush) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        shuffle(1);
    }

    /// Leaves in the cache what linking in random order does.
    void link() {
        std::vector<std::size_t> walked = order_;
        shuffle(2);
        for (const std::size_t line : order_)
            cache_.access(line);
        order_ = std::move(walked);
    }

    std::size_t walk(std::size_t accesses) {
        for (std::size_t i = 0; i < accesses; ++i) {
            const bool is_hit = cache_.access(order_[at_]);
            hits_ += is_hit ? 1 : 0;
            clock_.advance(is_hit ? hit_ns : miss_ns);
            at_ = (at_ + 1) % order_.size();
        }
        return accesses;
    }

    /// The share of hits in so many accesses from here on.
    double share_of_hits(std::size_t accesses) {
        hits_ = 0;
        walk(accesses);
        return static_cast<double>(hits_) / static_cast<double>(accesses);
    }

    [[nodiscard]] WarmedChains warmed() {
        return {.lap = order_.size(),
                .walk = [this](std::size_t n) { return walk(n); },
                .flush =
                    [this] {
                        flushes += can_flush_ ? 1 : 0;
                        if (can_flush_)
                            cache_.clear();
                        return can_flush_;
                    }};
    }

    int flushes = 0;

private:
    void shuffle(std::uint64_t seed) {
        SplitMix64 random(seed);
        for (std::size_t i = order_.size(); i > 1; --i)
            std::swap(order_[i - 1], order_[static_cast<std::size_t>(random.below(i))]);
    }

    FakeCache& cache_;
    FakeClock& clock_;
    std::vector<std::size_t> order_;
    bool can_flush_;
    std::size_t at_ = 0;
    std::size_t hits_ = 0;
};

struct Case {
    bool is_lru;
    double sizes; ///< of the cache

    friend void PrintTo(const Case& at, std::ostream* out) {
        *out << at.sizes << (at.is_lru ? " least recently used" : " random");
    }
};

std::unique_ptr<FakeCache> cache_for(const Case& at, std::size_t lines) {
    if (at.is_lru)
        return std::make_unique<LruCache>(lines);
    return std::make_unique<RandomCache>(lines);
}

class SteadyState : public testing::TestWithParam<Case> {
protected:
    static constexpr std::size_t cache_lines =
        20'000; // a lap through 8 times as many takes 16 ms, longer than is watched

    /// The share of hits in what a visit times, a tenth of a lap, after this way to get there.
    template<class Way>
    double share_after(Way way) {
        const auto cache = cache_for(GetParam(), cache_lines);
        const auto lines = static_cast<std::size_t>(GetParam().sizes * cache_lines);
        FakeChain chain(*cache, lines, clock, true);
        chain.link();
        way(chain, lines);
        return chain.share_of_hits(lines / 10);
    }

    FakeClock clock;
    std::atomic<bool> interrupted{false};
};

TEST_P(SteadyState, OfASimulatedCacheIsThatOfALongWalk) {
    const double after_many_laps = share_after([](FakeChain& chain, std::size_t lines) { chain.walk(12 * lines); });
    for (const Fit fit : {Fit::unknown, Fit::too_small}) {
        const double after_warm_up = share_after([&](FakeChain& chain, std::size_t /*lines*/) {
            static_cast<void>(walk_to_steady_state(chain.warmed(), fit, clock, interrupted));
        });
        EXPECT_NEAR(after_warm_up, after_many_laps, 0.05) << static_cast<int>(fit);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SteadyState,
                         testing::Values(Case{true, 0.5}, Case{true, 0.9}, Case{true, 1.25}, Case{true, 2},
                                         Case{true, 4}, Case{true, 8}, Case{false, 0.5}, Case{false, 0.9},
                                         Case{false, 2}, Case{false, 4}, Case{false, 8}));

class WarmUp : public testing::Test {
protected:
    Start warm_up(std::size_t lines, Fit fit = Fit::unknown, bool can_flush = true) {
        FakeChain chain(cache, lines, clock, can_flush);
        chain.link();
        const std::uint64_t start_ns = clock.now_ns();
        const Start start = walk_to_steady_state(chain.warmed(), fit, clock, interrupted);
        took_ms = static_cast<double>(clock.now_ns() - start_ns) * 1e-6;
        flushes = chain.flushes;
        return start;
    }

    LruCache cache{100'000};
    FakeClock clock;
    std::atomic<bool> interrupted{false};
    double took_ms = 0;
    int flushes = 0;
};

TEST_F(WarmUp, OfFewLinesIsTwoLaps) {
    EXPECT_EQ(warm_up(1000), Start::linked);
    EXPECT_NEAR(took_ms, 2 * 1000 * hit_ns * 1e-6, 1e-3);
    EXPECT_EQ(flushes, 0);
}

TEST_F(WarmUp, WatchesLinesThatTheCachesHoldAndLeavesThemThere) {
    EXPECT_EQ(warm_up(99'000), Start::linked);
    EXPECT_NEAR(took_ms, 12 + 1.5, 1);
    EXPECT_EQ(flushes, 0);
}

/// Lines whose accesses take as long as the time since the walk began, in ms, says.
WarmedChains paced_by(FakeClock& clock, const std::function<std::uint64_t(double ms)>& ns_at) {
    const std::uint64_t start_ns = clock.now_ns();
    return {.lap = 10'000'000,
            .walk =
                [&clock, ns_at, start_ns](std::size_t n) {
                    clock.advance(n * ns_at(static_cast<double>(clock.now_ns() - start_ns) * 1e-6));
                    return n;
                },
            .flush = [] { return true; }};
}

constexpr double brief_ms = 1.5; // before the watch
constexpr double watch_ms = 12;

TEST_F(WarmUp, IsNotMisledWhereverTheProcessorIsTakenAwayOnce) {
    constexpr double portion_ms = 8192 * hit_ns * 1e-6;
    for (double taken_ms = 0; taken_ms < brief_ms + watch_ms; taken_ms += portion_ms) {
        bool was_taken = false;
        const auto chains = paced_by(clock, [&](double ms) -> std::uint64_t {
            if (was_taken || ms < taken_ms)
                return hit_ns;
            was_taken = true;
            return 5 * hit_ns;
        });
        ASSERT_EQ(walk_to_steady_state(chains, Fit::unknown, clock, interrupted), Start::linked) << taken_ms;
        ASSERT_TRUE(was_taken) << taken_ms;
    }
}

TEST_F(WarmUp, NoticesASlowDownInTheLastQuarterOfTheWatchAlone) {
    const double last_quarter_ms = brief_ms + 0.75 * watch_ms;
    const auto late = paced_by(clock, [&](double ms) { return ms < last_quarter_ms ? hit_ns : hit_ns + 1; });
    EXPECT_EQ(walk_to_steady_state(late, Fit::unknown, clock, interrupted), Start::flushed);
    const auto passing = paced_by(clock, [&](double ms) {
        return ms > brief_ms + 0.3 * watch_ms && ms < last_quarter_ms - 0.5 ? 2 * hit_ns : hit_ns;
    });
    EXPECT_EQ(walk_to_steady_state(passing, Fit::unknown, clock, interrupted), Start::linked) << "it passed";
}

TEST_F(WarmUp, NotesWhatItFound) {
    CacheFit fit(0);
    FakeChain chain(cache, 200'000, clock, true);
    chain.link();
    EXPECT_EQ(walk_to_steady_state(chain.warmed(), 50, fit, clock, interrupted), Start::flushed);
    EXPECT_EQ(fit.of(60), Fit::taken) << "a larger size of this round";
    FakeChain held(cache, 1000, clock, true);
    EXPECT_EQ(walk_to_steady_state(held.warmed(), 60, fit, clock, interrupted), Start::flushed) << "as is known";
}

TEST_F(WarmUp, FlushesLinesThatTheCachesDoNotHoldAndWalksTwoLaps) {
    EXPECT_EQ(warm_up(200'000), Start::flushed);
    EXPECT_NEAR(took_ms, 12 + 1.5 + 2 * 20, 2);
    EXPECT_EQ(flushes, 1);
}

TEST_F(WarmUp, FlushesAtOnceWhereTheCachesAreKnownToBeTooSmall) {
    EXPECT_EQ(warm_up(200'000, Fit::too_small), Start::flushed);
    EXPECT_NEAR(took_ms, 2 * 20, 1);
}

TEST_F(WarmUp, WalksNoPartOfALapThatIsTooLong) {
    const auto walked_ms = [&](std::uint64_t lap, Fit fit) {
        WarmedChains chains = paced_by(clock, [](double) { return miss_ns; });
        chains.lap = lap;
        const std::uint64_t start_ns = clock.now_ns();
        EXPECT_EQ(walk_to_steady_state(chains, fit, clock, interrupted), Start::flushed);
        return static_cast<double>(clock.now_ns() - start_ns) * 1e-6;
    };
    EXPECT_NEAR(walked_ms(2'100'000, Fit::too_small), 4, 1) << "of 210 ms";
    EXPECT_NEAR(walked_ms(1'900'000, Fit::too_small), 190, 1) << "of 190 ms";
    EXPECT_NEAR(walked_ms(420'000, Fit::taken), 4, 1) << "of 42 ms, in a cache that others use";
    EXPECT_NEAR(walked_ms(380'000, Fit::taken), 38, 1) << "of 38 ms there";
}

TEST_F(WarmUp, WhereLinesCannotBeFlushedWalksATenthOfASecond) {
    EXPECT_EQ(warm_up(200'000, Fit::taken, false), Start::flushed);
    EXPECT_NEAR(took_ms, 100, 2);
}

TEST_F(WarmUp, WhereLinesCannotBeFlushedWalksSixteenLapsOfFew) {
    EXPECT_EQ(warm_up(1000, Fit::too_small, false), Start::flushed);
    EXPECT_NEAR(took_ms, 16 * 1000 * hit_ns * 1e-6, 1e-3);
}

TEST_F(WarmUp, EndsWhenInterrupted) {
    interrupted = true;
    static_cast<void>(warm_up(200'000));
    EXPECT_LT(took_ms, 0.01);
    static_cast<void>(warm_up(200'000, Fit::taken, false));
    EXPECT_LT(took_ms, 0.01);
}

/// A cache in which others drive out lines, each the likelier the longer it was not used.
class SharedCache : public FakeCache {
public:
    SharedCache(FakeClock& clock, double mean_stay_ns) : FakeCache(0), clock_(clock), mean_stay_ns_(mean_stay_ns) {}

    bool access(std::size_t line) override {
        used_ns_.resize(std::max(used_ns_.size(), line + 1));
        const std::uint64_t now_ns = clock_.now_ns();
        const double stays = std::exp(-static_cast<double>(now_ns - used_ns_[line]) / mean_stay_ns_);
        const bool is_hit = used_ns_[line] != 0 && static_cast<double>(random_.below(1'000'000)) < 1e6 * stays;
        used_ns_[line] = now_ns;
        return is_hit;
    }

    void clear() override { std::ranges::fill(used_ns_, 0); }

private:
    FakeClock& clock_;
    double mean_stay_ns_;
    std::vector<std::uint64_t> used_ns_;
    SplitMix64 random_{5};
};

TEST_F(WarmUp, FlushesLinesThatOthersDriveOutWithinALap) {
    SharedCache shared(clock, 5e6);
    FakeChain chain(shared, 300'000, clock, true); // a lap of hits takes 3 ms, one of misses 30
    chain.link();
    EXPECT_EQ(walk_to_steady_state(chain.warmed(), Fit::unknown, clock, interrupted), Start::flushed);
    EXPECT_LT(chain.share_of_hits(30'000), 0.01);
}

TEST_F(WarmUp, LeavesLinesThatStayLongerThanALap) {
    SharedCache shared(clock, 3e9);
    FakeChain chain(shared, 300'000, clock, true);
    chain.link();
    EXPECT_EQ(walk_to_steady_state(chain.warmed(), Fit::unknown, clock, interrupted), Start::linked);
    EXPECT_GT(chain.share_of_hits(30'000), 0.99);
}

TEST(CacheFit, IsUnknownUpToTheLastCacheAndTooSmallBeyond) {
    const CacheFit fit(100);
    EXPECT_EQ(fit.of(100), Fit::unknown);
    EXPECT_EQ(fit.of(101), Fit::too_small);
    EXPECT_EQ(CacheFit(0).of(101), Fit::unknown) << "the system does not tell";
}

TEST(CacheFit, IsTakenForLargerSizesOfARoundThatDidNotHoldASmallerOne) {
    CacheFit fit(100);
    fit.note(50, Start::linked);
    EXPECT_EQ(fit.of(60), Fit::unknown);
    fit.note(60, Start::flushed);
    EXPECT_EQ(fit.of(70), Fit::taken);
    EXPECT_EQ(fit.of(200), Fit::taken);
    fit.begin_round();
    EXPECT_EQ(fit.of(60), Fit::unknown);
    EXPECT_EQ(fit.of(70), Fit::unknown) << "it was not watched itself";
}

TEST(CacheFit, IsTakenForASizeThatTwoRoundsDidNotHold) {
    CacheFit fit(100);
    for (int round = 0; round < 2; ++round) {
        fit.begin_round();
        EXPECT_EQ(fit.of(60), Fit::unknown);
        fit.note(60, Start::flushed);
    }
    fit.begin_round();
    EXPECT_EQ(fit.of(60), Fit::taken);
    EXPECT_EQ(fit.of(50), Fit::unknown);
    fit.note(60, Start::flushed);
    EXPECT_EQ(fit.of(70), Fit::taken) << "a larger one of this round";
    fit.forget();
    EXPECT_EQ(fit.of(60), Fit::unknown);
    EXPECT_EQ(fit.of(70), Fit::unknown);
}

TEST(CacheFit, IsNotTakenWhereASizeBeyondTheLastCacheBeganFromFlushedLines) {
    CacheFit fit(100);
    fit.note(200, Start::flushed);
    EXPECT_EQ(fit.of(300), Fit::too_small);
}

TEST(WalkLaps, WalksThemHoweverLongTheyTake) {
    std::size_t made = 0;
    const std::atomic<bool> interrupted{false};
    const WarmedChains chains{.lap = 5'000'000,
                              .walk =
                                  [&](std::size_t n) {
                                      made += n;
                                      return n;
                                  },
                              .flush = [] { return true; }};
    walk_laps(0, Start::linked, chains, interrupted);
    EXPECT_EQ(made, 0U);
    walk_laps(3, Start::linked, chains, interrupted);
    EXPECT_EQ(made, 15'000'000U);
    walk_laps(3, Start::linked, chains, std::atomic<bool>{true});
    EXPECT_EQ(made, 15'000'000U);
}

TEST(WalkLaps, ReadFlushedLinesFromMemoryAndLeaveThemInTheCache) {
    constexpr std::size_t lines = 64;
    const std::atomic<bool> interrupted{false};
    for (const Start start : {Start::linked, Start::flushed}) {
        LruCache cache(2 * lines);
        FakeClock clock;
        FakeChain chain(cache, lines, clock, true);
        chain.link();
        const std::uint64_t before_ns = clock.now_ns();
        walk_laps(1, start, chain.warmed(), interrupted);
        EXPECT_EQ(clock.now_ns() - before_ns, lines * (start == Start::flushed ? miss_ns : hit_ns));
        EXPECT_EQ(chain.share_of_hits(lines), 1);
    }
}

} // namespace
} // namespace memtest
