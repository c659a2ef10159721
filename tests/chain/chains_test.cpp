#include "memtest/chain/chains.hpp"

#include "support/area.hpp"
#include "support/test.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <thread>

namespace memtest {
namespace {

ChainShape random_shape(std::mt19937_64& random) {
    ChainShape shape;
    shape.order = static_cast<Order>(random() % 3);
    shape.link = static_cast<Link>(random() % 2);
    shape.line_bytes = 8 * (1 + random() % 40);
    shape.stride_bytes = shape.line_bytes * (1 + random() % 20);
    shape.seed = random();
    if (random() % 3 == 0)
        shape.parallel = static_cast<unsigned>(1 + random() % max_parallel);
    if (random() % 4 == 0)
        shape.tlb_locality_bytes = shape.line_bytes * (1 + random() % 100);
    if (shape.order == Order::random && random() % 2 == 0)
        shape.orders = static_cast<unsigned>(1 + random() % most_orders(shape.line_bytes));
    return shape;
}

TEST(ChainsProperty, EveryShapeAtEverySizeIsASingleCycleThroughAllNodes) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 3000; ++round) {
        const ChainShape shape = random_shape(random);
        const std::size_t most = 1 + random() % 700;
        Area area(shape.line_bytes * (most + shape.parallel) + random() % shape.line_bytes);
        Chains chains(area.memory(), shape);
        for (std::size_t nodes = shape.parallel; nodes <= most; nodes += 1 + random() % most) {
            chains.grow_to(nodes * shape.line_bytes);
            ASSERT_EQ(chains.nodes(), nodes);
            ASSERT_TRUE(chains.proven()) << "order " << static_cast<int>(shape.order) << ", link "
                                         << static_cast<int>(shape.link) << ", line " << shape.line_bytes << ", stride "
                                         << shape.stride_bytes << ", " << shape.parallel << " chains, nodes " << nodes;
        }
    }
}

TEST(ChainsProperty, WritesNothingBehindTheWorkingSet) {
    std::mt19937_64 random(12);
    for (int round = 0; round < 500; ++round) {
        const ChainShape shape = random_shape(random);
        const std::size_t nodes = shape.parallel + random() % 300;
        Area area(shape.line_bytes * (nodes + 8));
        Chains chains(area.memory(), shape);
        chains.grow_to(nodes * shape.line_bytes);
        const auto behind = area.memory().subspan(nodes * shape.line_bytes);
        EXPECT_TRUE(std::ranges::all_of(behind, [](std::byte b) { return b == std::byte{0xa5}; }));
    }
}

TEST(ChainsProperty, InOtherWordsOfTheSameLinesLeaveEachOtherAlone) {
    std::mt19937_64 random(14);
    for (int round = 0; round < 200; ++round) {
        ChainShape shape = random_shape(random);
        shape.line_bytes = std::max<std::size_t>(shape.line_bytes, 24);
        shape.orders = 1;
        shape.stride_bytes = shape.line_bytes * (1 + random() % 20);
        const std::size_t nodes = shape.parallel + random() % 300;
        Area area(shape.line_bytes * (nodes + 8));
        std::vector<Chains> in_words;
        for (std::size_t word = 0; word < 3; ++word) {
            shape.word = word;
            shape.seed = word;
            in_words.emplace_back(area.memory(), shape);
            in_words.back().grow_to((nodes - (word < 2 ? 0 : nodes - shape.parallel)) * shape.line_bytes);
        }
        for (const Chains& chains : in_words)
            ASSERT_TRUE(chains.proven());
    }
}

/// The nodes of the first chain in the order of a walk, hop by hop.
std::vector<std::size_t> walked(Chains& chains, Area& area, const ChainShape& shape, std::size_t hops) {
    std::vector<std::size_t> nodes;
    for (std::size_t hop = 0; hop < hops; ++hop) {
        const std::uintptr_t link = chains.position(0);
        const std::uintptr_t bytes =
            shape.link == Link::pointer ? link - reinterpret_cast<std::uintptr_t>(area.memory().data()) : link;
        nodes.push_back(bytes / shape.line_bytes);
        chains.walk(shape.parallel);
    }
    return nodes;
}

TEST(ChainsProperty, WithSeveralOrdersLapsVisitAllNodesAndRepeatOnlyAfterAsMany) {
    constexpr std::size_t count = 50;
    for (const unsigned orders : {1U, 2U, 7U, 8U}) {
        for (const Link link : {Link::pointer, Link::index}) {
            const ChainShape shape{.order = Order::random, .link = link, .orders = orders};
            Area area(shape.line_bytes * count);
            Chains chains(area.memory(), shape);
            for (const std::size_t nodes : {count / 2, count}) // which moves the ends of the laps
                chains.grow_to(nodes * shape.line_bytes);
            const auto nodes = walked(chains, area, shape, 2 * orders * count);
            std::set<std::vector<std::size_t>> laps;
            for (std::size_t lap = 0; lap < 2 * orders; ++lap) {
                const auto visited = std::span(nodes).subspan(lap * count, count);
                const std::vector<std::size_t> order(visited.begin(), visited.end());
                ASSERT_EQ(std::set(order.begin(), order.end()).size(), count);
                laps.insert(order);
            }
            EXPECT_EQ(laps.size(), orders);
        }
    }
}

TEST(Chains, BeyondTheReorderedLinesFollowOneOrder) {
    const ChainShape shape{.order = Order::random, .line_bytes = 16, .orders = 2};
    const std::size_t count = most_reordered_lines + 1;
    const auto memory = std::make_unique<std::array<std::uintptr_t, 2>[]>(count);
    Chains chains(std::as_writable_bytes(std::span(memory.get(), count)), shape);
    chains.grow_to(most_reordered_lines * shape.line_bytes);
    const std::uintptr_t start = chains.position(0);
    chains.walk(most_reordered_lines);
    EXPECT_EQ(chains.position(0), start + sizeof(std::uintptr_t)) << "the second order, in the second word";
    chains.grow_to(count * shape.line_bytes);
    chains.walk(count);
    EXPECT_EQ(chains.position(0), start);
}

#if defined(__x86_64__) || defined(__aarch64__) || defined(__powerpc64__)
TEST(Flushing, IsKnownOfThisProcessor) {
#if defined(__x86_64__)
    std::ifstream cpuinfo("/proc/cpuinfo");
    const std::string text{std::istreambuf_iterator<char>(cpuinfo), {}};
    if (text.find("flags") == std::string::npos)
        GTEST_SKIP() << "the system does not list what the processor has";
    EXPECT_EQ(can_flush_lines(), text.find(" clflushopt") != std::string::npos);
#else
    EXPECT_TRUE(can_flush_lines());
#endif
}
#endif

TEST(ChainsProperty, AJumpGoesToAnyNodeOfEachChain) {
    std::mt19937_64 random(15);
    for (const Order order : {Order::backward, Order::random}) {
        ChainShape shape{.order = order, .link = Link::index, .parallel = 2};
        Area area(shape.line_bytes * 64);
        Chains chains(area.memory(), shape);
        chains.grow_to(area.memory().size() / shape.line_bytes * shape.line_bytes);
        SplitMix64 places(7);
        std::set<std::uintptr_t> nodes;
        for (int jump = 0; jump < 2000; ++jump) {
            chains.jump(places);
            for (unsigned chain = 0; chain < 2; ++chain) {
                ASSERT_EQ(chains.position(chain) % shape.line_bytes, 0U);
                nodes.insert(chains.position(chain));
            }
        }
        EXPECT_EQ(nodes.size(), chains.nodes());
    }
}

TEST(Chains, JumpWithOneDrawForEach) {
    Area area(64 * 64);
    Chains chains(area.memory(), {.parallel = 2});
    chains.grow_to(64 * 64);
    SplitMix64 random(7);
    chains.jump(random);
    SplitMix64 same(7);
    static_cast<void>(same.below(32));
    static_cast<void>(same.below(32));
    EXPECT_EQ(random.next(), same.next());
}

TEST(Chains, OfASeedHaveTheSameOrdersOnEveryMachine) {
    Area area(64 * 40);
    Chains chains(area.memory(), {.order = Order::random,
                                  .link = Link::index,
                                  .tlb_locality_bytes = 64 * 12,
                                  .parallel = 3,
                                  .seed = 5,
                                  .orders = 2});
    chains.grow_to(64 * 20);
    chains.grow_to(64 * 40);
    std::vector<std::size_t> lines;
    for (int hop = 0; hop < 26; ++hop) {
        static_cast<void>(chains.walk(3));
        lines.push_back(chains.position(2) / 64);
        EXPECT_EQ(chains.position(2) % 64, hop < 12 || hop > 24 ? 0U : 8U) << "in the word of the order";
    }
    const std::vector<std::size_t> first{17, 23, 20, 14, 32, 35, 29, 26, 38, 11, 8, 5, 2};
    const std::vector<std::size_t> second{17, 23, 20, 14, 38, 35, 32, 29, 26, 11, 5, 8, 2};
    EXPECT_TRUE(std::ranges::equal(std::span(lines).first(13), first));
    EXPECT_TRUE(std::ranges::equal(std::span(lines).subspan(13, 13), second));
}

TEST(Chains, FlushedAreLinkedAsBefore) {
    Area area(64 * 100);
    Chains chains(area.memory(), {.order = Order::random});
    chains.grow_to(64 * 100);
    EXPECT_EQ(chains.flush(), can_flush_lines());
    EXPECT_TRUE(chains.proven());
}

/// Inaccessible memory. The pages that are accessed nevertheless are recorded and then become accessible.
class WatchedPages {
public:
    explicit WatchedPages(std::size_t pages) : bytes_(pages * page_bytes()) {
        memory_ =
            static_cast<std::byte*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        watched = this;
        struct sigaction action {};
        action.sa_sigaction = [](int /*signal*/, siginfo_t* fault, void* /*context*/) { watched->record(fault); };
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &action, &before_);
    }
    ~WatchedPages() {
        sigaction(SIGSEGV, &before_, nullptr);
        munmap(memory_, bytes_);
    }

    WatchedPages(const WatchedPages&) = delete;
    WatchedPages& operator=(const WatchedPages&) = delete;
    WatchedPages(WatchedPages&&) = delete;
    WatchedPages& operator=(WatchedPages&&) = delete;

    static std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

    [[nodiscard]] std::span<std::byte> memory() const { return {memory_, bytes_}; }

    template<class Action>
    std::vector<std::size_t> accessed_by(const Action& action) {
        count_ = 0;
        mprotect(memory_, bytes_, PROT_NONE);
        action();
        mprotect(memory_, bytes_, PROT_READ | PROT_WRITE);
        return {pages_.begin(), pages_.begin() + static_cast<std::ptrdiff_t>(count_)};
    }

private:
    void record(const siginfo_t* fault) {
        const auto at = static_cast<std::size_t>(static_cast<std::byte*>(fault->si_addr) - memory_);
        if (at >= bytes_ || count_ == pages_.size())
            std::abort();
        pages_[count_++] = at / page_bytes();
        mprotect(memory_ + at / page_bytes() * page_bytes(), page_bytes(), PROT_READ | PROT_WRITE);
    }

    static inline WatchedPages* watched = nullptr;
    std::size_t bytes_;
    std::byte* memory_;
    struct sigaction before_ {};
    std::array<std::size_t, 64> pages_{};
    std::size_t count_ = 0;
};

TEST(Chains, FlushesTheLinesOfTheWorkingSetAloneWhereTheirLinksAre) {
    if (!can_flush_lines())
        GTEST_SKIP() << "this processor cannot flush lines";
    using Pages = std::vector<std::size_t>;
    WatchedPages watched(8);
    const std::size_t page = WatchedPages::page_bytes();
    Chains small(watched.memory(), {.order = Order::random});
    small.grow_to(5 * page);
    EXPECT_EQ(watched.accessed_by([&] { small.flush(); }), (Pages{0, 1, 2, 3, 4}));
    const ChainShape shape{.order = Order::random, .line_bytes = 4 * page, .word = 2 * page / sizeof(std::uintptr_t)};
    Chains large(watched.memory(), shape);
    large.grow_to(8 * page);
    EXPECT_EQ(watched.accessed_by([&] { large.flush(); }), (Pages{2, 6}));
    const std::array<const std::byte*, 2> lines{&watched.memory()[7 * page], &watched.memory()[page]};
    EXPECT_EQ(watched.accessed_by([&] { flush_lines(lines); }), (Pages{7, 1}));
}

TEST(ChainsProperty, WalkReturnsToWhereItStartedAfterALapAndOnlyThen) {
    std::mt19937_64 random(13);
    for (int round = 0; round < 300; ++round) {
        ChainShape shape = random_shape(random);
        shape.parallel = 1;
        const std::size_t nodes = 2 + random() % 200;
        Area area(shape.line_bytes * nodes);
        Chains chains(area.memory(), shape);
        chains.grow_to(nodes * shape.line_bytes);
        const std::uintptr_t start = chains.position(0);
        const std::size_t all_laps = shape.orders * nodes;
        EXPECT_EQ(chains.walk(all_laps), all_laps);
        EXPECT_EQ(chains.position(0), start);
        EXPECT_EQ(chains.walk(all_laps - 1), all_laps - 1);
        EXPECT_NE(chains.position(0), start);
    }
}

TEST(Chains, WalkMakesWholeHopsOnEveryChain) {
    Area area(64 * 100);
    Chains chains(area.memory(), {.order = Order::random, .parallel = 4});
    chains.grow_to(64 * 100);
    EXPECT_EQ(chains.walk(400), 400U);
    EXPECT_EQ(chains.walk(401), 404U);
    EXPECT_EQ(chains.walk(0), 0U);
}

/// The places in bytes that each chain visits within so many hops.
std::vector<std::vector<std::size_t>> visited(Chains& chains, unsigned parallel, std::size_t hops) {
    std::vector<std::vector<std::size_t>> places(parallel);
    for (std::size_t hop = 0; hop < hops; ++hop) {
        for (unsigned chain = 0; chain < parallel; ++chain)
            places[chain].push_back(chains.position(chain));
        chains.walk(parallel);
    }
    return places;
}

TEST(Chains, SideBySideDivideAllLinesAmongThem) {
    constexpr unsigned parallel = 3;
    for (const Order order : {Order::backward, Order::forward, Order::random}) {
        for (std::size_t nodes = 30; nodes < 36; ++nodes) {
            Area area(64 * nodes);
            Chains chains(area.memory(),
                          {.order = order, .link = Link::index, .stride_bytes = 64, .parallel = parallel});
            chains.grow_to(64 * nodes);
            std::set<std::size_t> all;
            for (const auto& places : visited(chains, parallel, (nodes + parallel - 1) / parallel))
                all.insert(places.begin(), places.end());
            EXPECT_EQ(all.size(), nodes) << static_cast<int>(order);
        }
    }
}

TEST(Chains, SideBySideHaveRandomOrdersOfTheirOwn) {
    Area area(64 * 200);
    Chains chains(area.memory(), {.order = Order::random, .link = Link::index, .parallel = 2});
    chains.grow_to(64 * 200);
    auto places = visited(chains, 2, 100);
    for (std::size_t& place : places[1])
        place -= 64; // the second chain's first line is the area's second
    EXPECT_NE(places[0], places[1]);
}

TEST(Chains, SideBySideAreConfinedToBlocksThatHoldAllOfThem) {
    constexpr std::size_t block = 2048; // of 32 lines, 8 for each chain
    constexpr std::size_t blocks = 8;
    Area area(block * blocks);
    Chains chains(area.memory(),
                  {.order = Order::random, .link = Link::index, .tlb_locality_bytes = block, .parallel = 4});
    chains.grow_to(block * blocks);
    for (const auto& places : visited(chains, 4, 64)) {
        std::size_t changes = 0;
        for (std::size_t i = 1; i < places.size(); ++i)
            changes += places[i] / block != places[i - 1] / block ? 1U : 0U;
        EXPECT_LE(changes, blocks);
        EXPECT_GE(changes, blocks - 1);
    }
}

TEST(Chains, ConfinedToLessThanALineOfEachAreNotBoundToPairs) {
    Area area(64 * 100);
    Chains chains(area.memory(), {.order = Order::random, .link = Link::index, .tlb_locality_bytes = 1});
    chains.grow_to(64 * 100);
    const auto places = visited(chains, 1, 100).front();
    std::size_t pairs = 0;
    for (std::size_t i = 1; i < places.size(); ++i)
        pairs += places[i] / 128 == places[i - 1] / 128 ? 1U : 0U;
    EXPECT_LT(pairs, 20U);
}

TEST(Chains, OfAStrideGoOnByThatStride) {
    for (const std::size_t lines : {1U, 3U, 20U}) {
        Area area(64 * 100);
        Chains chains(area.memory(), {.order = Order::forward, .link = Link::index, .stride_bytes = 64 * lines});
        chains.grow_to(64 * 100);
        EXPECT_EQ(visited(chains, 1, 3)[0], (std::vector<std::size_t>{0, 64 * lines, 128 * lines}));
    }
}

TEST(Chains, AreNotProvenWhereOneOfThemIsBroken) {
    for (unsigned broken = 0; broken < 3; ++broken) {
        Area area(64 * 99);
        Chains chains(area.memory(), {.order = Order::random, .parallel = 3});
        chains.grow_to(64 * 99);
        EXPECT_TRUE(chains.proven());
        const Nodes nodes(area.memory().data(), 0, 64, Link::pointer);
        nodes.set_next(broken + 3, broken + 3);
        EXPECT_FALSE(chains.proven()) << broken;
    }
}

TEST(Chains, AreNotProvenWhereOneOfTheirOrdersIsBroken) {
    for (std::size_t broken = 0; broken < 3; ++broken) {
        Area area(64 * 99);
        Chains chains(area.memory(), {.order = Order::random, .orders = 3});
        chains.grow_to(64 * 99);
        EXPECT_TRUE(chains.proven());
        std::byte* const word = area.memory().data() + 5 * 64 + broken * sizeof(std::uintptr_t);
        const auto itself = reinterpret_cast<std::uintptr_t>(word);
        std::memcpy(word, &itself, sizeof itself);
        EXPECT_FALSE(chains.proven()) << broken;
    }
}

TEST(Chains, SmallestWorkingSetHasRoomForEveryChain) {
    EXPECT_EQ(smallest_working_set({.order = Order::random, .line_bytes = 64, .parallel = 8}), 512U);
    EXPECT_EQ(smallest_working_set({.order = Order::forward, .stride_bytes = 512, .parallel = 8}), 4096U);
}

TEST(Chains, OfASingleStrideKeepTheirLinks) {
    constexpr std::uintptr_t mark = 1;
    const ChainShape shape{.order = Order::forward, .stride_bytes = 64};
    Area area(64 * 100);
    Chains chains(area.memory(), shape);
    chains.grow_to(64 * 60);
    const Nodes nodes(area.memory().data(), 0, 64, Link::pointer);
    nodes.set_link(30, mark);
    chains.grow_to(64 * 100);
    EXPECT_EQ(nodes.link_of(30), mark) << "links that stay are not written again";
}

TEST(ChainsDeathTest, WithoutAStrideOrAWordForEachLinkAreAnError) {
    Area area(64 * 100);
    for (const ChainShape& shape : {ChainShape{.line_bytes = 4},
                                    {.line_bytes = 12},
                                    {.stride_bytes = 0},
                                    {.stride_bytes = 96},
                                    {.orders = 2},
                                    {.order = Order::random, .orders = 0},
                                    {.order = Order::random, .word = 7, .orders = 2}})
        EXPECT_DEATH(Chains(area.memory(), shape), "violated");
    Chains chains(area.memory(), {.parallel = 2});
    EXPECT_DEATH(chains.grow_to(64), "violated") << "a chain has no node";
    EXPECT_DEATH(chains.grow_to(64 * 101), "violated");
    chains.grow_to(64 * 50);
    EXPECT_DEATH(chains.grow_to(64 * 49), "violated");
    const Nodes nodes(area.memory().data(), 0, 64, Link::pointer);
    EXPECT_DEATH(link_stride_cycle(nodes, Order::backward, 0, 0, 4), "violated");
    EXPECT_DEATH(link_stride_cycle(nodes, Order::backward, 1, 5, 4), "violated");
    EXPECT_DEATH(link_stride_cycle(nodes, Order::random, 1, 0, 4), "violated");
    EXPECT_DEATH(static_cast<void>(walk_function(Link::pointer, 0)), "violated");
    EXPECT_DEATH(static_cast<void>(walk_function(Link::pointer, max_parallel + 1)), "violated");
    EXPECT_NE(walk_function(Link::pointer, max_parallel), nullptr);
}

TEST(Chains, InterruptedAreNotLinked) {
    const std::atomic<bool> interrupted{true};
    for (const Order order : {Order::backward, Order::forward, Order::random}) {
        for (const unsigned parallel : {1U, 4U}) {
            Area area(64 * 1000);
            Chains chains(area.memory(), {.order = order, .parallel = parallel});
            EXPECT_FALSE(chains.grow_to(64 * 1000, interrupted));
            EXPECT_EQ(chains.nodes(), 0U);
            EXPECT_TRUE(std::ranges::all_of(area.memory(), [](std::byte b) { return b == std::byte{0xa5}; }));
        }
    }
}

/// Runs something that takes milliseconds and interrupts it as soon as it has begun, up to 200 times: on a busy machine
/// some attempts come too late or too early. @return whether an attempt was interrupted in its midst
bool interrupted_in_its_midst(const std::function<bool(const std::atomic<bool>& interrupted)>& attempt) {
    for (int time = 0; time < 200; ++time) {
        std::atomic<bool> begun{false};
        std::atomic<bool> interrupted{false};
        const std::jthread interrupts([&] {
            while (!begun)
                std::this_thread::yield();
            interrupted = true;
        });
        std::this_thread::yield();
        begun = true;
        if (attempt(interrupted))
            return true;
    }
    return false;
}

TEST(Chains, AreInterruptedWhileTheyAreLinked) {
    constexpr std::size_t bytes = std::size_t{32} << 20U;
    Area area(bytes);
    for (const Order order : {Order::backward, Order::forward, Order::random}) {
        for (const unsigned parallel : {1U, 4U}) {
            const bool was = interrupted_in_its_midst([&](const std::atomic<bool>& interrupted) {
                constexpr std::byte untouched{0xa5};
                area.memory()[0] = untouched;
                Chains chains(area.memory(),
                              {.order = order, .line_bytes = 8, .stride_bytes = 8, .parallel = parallel});
                return !chains.grow_to(bytes, interrupted) && area.memory()[0] != untouched;
            });
            EXPECT_TRUE(was) << static_cast<int>(order) << " " << parallel;
        }
    }
}

TEST(Chains, LinkedInPortionsAreWhole) {
    constexpr std::size_t nodes = (std::size_t{1} << 18U) + 5; // of each chain: more than one portion
    for (const Order order : {Order::backward, Order::forward, Order::random}) {
        for (const unsigned parallel : {1U, 3U}) {
            for (const std::size_t stride : {std::size_t{8}, std::size_t{8} * 1000, std::size_t{8} * (nodes - 3)}) {
                Area area(8 * nodes * parallel);
                Chains chains(area.memory(),
                              {.order = order, .line_bytes = 8, .stride_bytes = stride, .parallel = parallel});
                chains.grow_to(8 * nodes * parallel);
                EXPECT_TRUE(chains.proven()) << static_cast<int>(order) << " " << parallel << " " << stride;
            }
        }
    }
}

} // namespace
} // namespace memtest
