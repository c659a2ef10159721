#include "memtest/machine/kinds.hpp"

#include "memtest/base/units.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

Processor with(int id, std::vector<Cache> caches, std::string type = "", std::string name = "A CPU") {
    return {.id = id, .core = id, .caches = std::move(caches), .name = std::move(name), .type = std::move(type)};
}

std::vector<Cache> caches(std::uint64_t l2_kib, std::uint64_t l3_kib) {
    std::vector<Cache> list;
    for (const std::uint64_t size_kib : {std::uint64_t{32}, l2_kib, l3_kib}) {
        if (size_kib == 0)
            continue;
        Cache& cache = list.emplace_back();
        cache.level = static_cast<int>(list.size());
        cache.data_only = cache.level == 1;
        cache.size_bytes = size_kib * kib;
    }
    return list;
}

using Kinds = std::vector<CoreKind>;

TEST(Kinds, OfCoresThatAreAlikeAreOneWithoutName) {
    EXPECT_EQ(kinds_of({with(0, caches(512, 4096)), with(1, caches(512, 4096))}), (Kinds{{"", {0, 1}}}));
    EXPECT_EQ(kinds_of({with(0, {}), with(1, caches(512, 4096))}).size(), 1U) << "unknown caches are no other ones";
    EXPECT_TRUE(kinds_of({}).empty());
}

TEST(Kinds, OfOneTypeAreToldApartByTheirCaches) {
    const Kinds kinds = kinds_of({with(0, caches(2048, 24576), "P-core"), with(1, caches(2048, 24576), "E-core"),
                                  with(2, caches(2048, 0), "E-core")});
    EXPECT_EQ(kinds, (Kinds{{"P-core", {0}}, {"E-core-L3-24MiB", {1}}, {"E-core-no-L3", {2}}}));
}

TEST(Kinds, OfOneCoreWithOtherCachesAreNamedByThese) {
    const Kinds kinds =
        kinds_of({with(0, caches(256, 2048), "", "Cortex-A76 r1p0"), with(1, caches(512, 2048), "", "Cortex-A76 r1p0"),
                  with(2, caches(128, 2048), "", "Cortex-A55 r1p0")});
    EXPECT_EQ(kinds, (Kinds{{"Cortex-A76-L2-256KiB", {0}}, {"Cortex-A76-L2-512KiB", {1}}, {"Cortex-A55", {2}}}));
}

TEST(Kinds, DifferInAllThatTellsTheDesignButNotInItsRevision) {
    const auto count = [](const char* a, const char* b) {
        return kinds_of({with(0, {}, "", a), with(1, {}, "", b)}).size();
    };
    EXPECT_EQ(count("T-Head RISC-V, architecture 0x1, implementation 0x0",
                    "T-Head RISC-V, architecture 0x2, implementation 0x0"),
              2U);
    EXPECT_EQ(count("Arm part 0xdf1 r0p0", "Arm part 0xdf2 r0p0"), 2U);
    EXPECT_EQ(count("Cortex-A72 r0p2", "Cortex-A72 r0p3"), 1U);
}

TEST(Kinds, DifferInCapacityOnlyBeyondTheirClocks) {
    const auto core = [](int id, std::uint64_t capacity, std::optional<std::uint64_t> khz) {
        Processor made = with(id, caches(512, 2048));
        made.capacity = capacity;
        made.max_khz = khz;
        return made;
    };
    EXPECT_EQ(kinds_of({core(0, 1024, 3000000), core(1, 512, 1500000)}).size(), 1U);
    EXPECT_EQ(kinds_of({core(0, 1024, {}), core(1, 1000, {})}).size(), 1U) << "a favoured core";
    EXPECT_EQ(kinds_of({core(0, 1024, 3000000), core(1, 1024, {})}).size(), 1U) << "one clock alone tells nothing";
    EXPECT_EQ(kinds_of({core(0, 1110, {}), core(1, 1000, {})}).size(), 2U);
    EXPECT_EQ(kinds_of({core(0, 1000, {}), core(1, 1110, {})}).size(), 2U);
    EXPECT_EQ(kinds_of({core(0, 1000, {}), with(1, caches(512, 2048))}).size(), 1U) << "not known of one";
    EXPECT_EQ(kinds_of({core(0, 1024, 1800000), core(1, 1024, 1200000)}).size(), 1U)
        << "a kernel that does not scale by the clock";
    EXPECT_EQ(kinds_of({core(0, 1024, 3000000), core(1, 512, 3000000)}),
              (Kinds{{"capacity-1024", {0}}, {"capacity-512", {1}}}));
}

TEST(Kinds, OfSeveralHaveNamesOfTheirOwnWhateverIsKnown) {
    const auto of_unknown_level = [](int id, std::uint64_t size_bytes, const char* name) {
        Cache cache;
        cache.size_bytes = size_bytes;
        return with(id, {cache}, "", name);
    };
    EXPECT_EQ(kinds_of({of_unknown_level(0, mib, ""), of_unknown_level(1, 2 * mib, "")}),
              (Kinds{{"kind-1", {0}}, {"kind-2", {1}}}));
    EXPECT_EQ(kinds_of({of_unknown_level(0, mib, "Big"), of_unknown_level(1, mib, "Cortex-A53 r0p4"),
                        of_unknown_level(2, 2 * mib, "Cortex-A53 r0p4")}),
              (Kinds{{"Big", {0}}, {"Cortex-A53-2", {1}}, {"Cortex-A53-3", {2}}}));
    EXPECT_EQ(kinds_of({with(0, caches(2048, 24576), "P-core"), with(1, caches(2048, 24576), "E-core"),
                        with(2, caches(2048, 0))}),
              (Kinds{{"P-core", {0}}, {"E-core", {1}}, {"kind-3", {2}}}))
        << "one without a type";
}

TEST(Kinds, AreFoundByProcessorAndByName) {
    const Kinds kinds{{"P-core", {0, 2}}, {"E-core", {1}}};
    EXPECT_EQ(kind_with(kinds, 2).name, "P-core");
    ASSERT_NE(kind_called(kinds, "e-CORE"), nullptr);
    EXPECT_EQ(kind_called(kinds, "e-CORE")->processors, std::vector<int>{1});
    EXPECT_EQ(kind_called(kinds, "E"), nullptr);
    EXPECT_EQ(kind_called({{"", {0}}}, ""), nullptr);
}

TEST(Kinds, ThatOfAProcessorGoesFirst) {
    const std::vector<Processor> all{with(0, caches(512, 0)), with(1, caches(256, 0)), with(2, caches(512, 0)),
                                     with(3, caches(256, 0))};
    std::vector<int> ids;
    for (const Processor& processor : with_kind_first(all, 3))
        ids.push_back(processor.id);
    EXPECT_EQ(ids, (std::vector{1, 3, 0, 2}));
    const std::vector<Processor> ordered =
        with_kind_first({with(0, caches(512, 0)), with(1, caches(256, 0)), with(2, {})}, 2);
    EXPECT_EQ(ordered[1].id, 2) << "with unknown caches it is of the first kind, not of all";
}

} // namespace
} // namespace memtest
