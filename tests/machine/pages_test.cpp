#include "memtest/machine/pages.hpp"

#include "memtest/base/units.hpp"
#include "support/fake_system.hpp"
#include "support/refusal.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

std::string refusal(PageKind kind, std::uint64_t bytes, unsigned areas, const SystemFiles& files,
                    const std::vector<int>& nodes = {}) {
    return refusal_of([&] { check_pages_available(kind, bytes, areas, nodes, files); });
}

class ReservedPages : public testing::Test {
protected:
    ReservedPages() {
        const std::string directory = "/sys/kernel/mm/hugepages/hugepages-2048kB";
        system.add(directory + "/nr_hugepages", "20\n");
        system.add(directory + "/free_hugepages", "16\n");
        system.add(directory + "/resv_hugepages", "4\n");
    }
    FakeSystem system;
};

TEST_F(ReservedPages, AreAvailableUpToWhatIsFreeAndNotSpokenFor) {
    EXPECT_EQ(refusal(PageKind::huge_2m, 12 * 2 * mib, 1, system.files()), "");
    EXPECT_EQ(refusal(PageKind::huge_2m, 6 * 2 * mib, 2, system.files()), "");
}

TEST_F(ReservedPages, TooFewAreRefusedWithTheNumberNeededAndTheCommandThatReservesThem) {
    EXPECT_TRUE(mentions(
        refusal(PageKind::huge_2m, 6 * 2 * mib + 1, 2, system.files()),
        {"--pages 2m: 14 ", "12 are free", "echo 22 > /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"}));
}

TEST_F(ReservedPages, OfWhichOneIsNeededOrFreeAreNamedAsOne) {
    const auto refused = [&](std::size_t bytes, const char* free) {
        const FakeSystem with_few;
        with_few.add("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "1\n");
        with_few.add("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", free);
        with_few.add("/sys/kernel/mm/hugepages/hugepages-2048kB/resv_hugepages", "0\n");
        return refusal(PageKind::huge_2m, bytes, 1, with_few.files());
    };
    EXPECT_TRUE(mentions(refused(mib, "0\n"), {": 1 huge page of ", " is needed", "0 are"}));
    EXPECT_TRUE(mentions(refused(4 * mib, "1\n"), {": 2 huge pages of ", " are needed", "1 is"}));
}

TEST_F(ReservedPages, AreCountedOnTheNodesThatTheyAreToComeFrom) {
    const std::string on_node = "/sys/devices/system/node/node1/hugepages/hugepages-2048kB";
    system.add(on_node + "/nr_hugepages", "10\n");
    system.add(on_node + "/free_hugepages", "5\n");
    EXPECT_EQ(refusal(PageKind::huge_2m, 5 * 2 * mib, 1, system.files(), {1}), "");
    EXPECT_EQ(refusal(PageKind::huge_2m, 5 * 2 * mib, 2, system.files(), {0, 1}), "");
    EXPECT_TRUE(mentions(refusal(PageKind::huge_2m, 3 * 2 * mib, 2, system.files(), {1, 1}),
                         {"--pages 2m: 6 ", "on node 1 ", "5 are free", "echo 11 > " + on_node + "/nr_hugepages"}));
}

TEST_F(ReservedPages, OfASizeThatTheKernelDoesNotHaveAreRefusedWithTheSizesThatItHas) {
    EXPECT_TRUE(mentions(refusal(PageKind::huge_1g, mib, 1, system.files()), {"--pages 1g: ", "1 GiB", ": 2 MiB)"}));
    EXPECT_TRUE(mentions(refusal(PageKind::huge_1g, mib, 1, FakeSystem().files()), {"--pages 1g: ", ": none)"}));
}

TEST(TransparentPages, AreRefusedWhereTheSystemGivesNone) {
    const FakeSystem system;
    system.add("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    EXPECT_NE(refusal(PageKind::transparent_huge, mib, 1, system.files()).find("echo madvise"), std::string::npos);
    EXPECT_EQ(refusal(PageKind::base, mib, 1, system.files()), "");
    system.add("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    EXPECT_EQ(refusal(PageKind::transparent_huge, mib, 1, system.files()), "");
}

TEST(TransparentPages, HaveThePolicyInBracketsIfTheKernelTellsOne) {
    const auto policy = [](const char* text) {
        const FakeSystem system;
        system.add("/sys/kernel/mm/transparent_hugepage/enabled", text);
        return transparent_policy(system.files());
    };
    EXPECT_EQ(policy("[always] madvise never\n"), "always");
    for (const char* text : {"", "always madvise never\n", "always [madvise"})
        EXPECT_EQ(policy(text), "") << text;
}

TEST(TransparentPages, AreNoneForAProcessThatIsDeniedThem) {
    const FakeSystem system;
    system.add("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    system.add("/proc/self/status", "Name:\tmemtest\nTHP_enabled:\t1\n");
    EXPECT_EQ(transparent_policy(system.files()), "always");
    system.add("/proc/self/status", "Name:\tmemtest\nTHP_enabled:\t0\n");
    EXPECT_EQ(transparent_policy(system.files()), "never");
    const std::string refused = refusal(PageKind::transparent_huge, mib, 1, system.files());
    EXPECT_NE(refused.find("PR_SET_THP_DISABLE"), std::string::npos) << refused;
    EXPECT_EQ(refused.find("echo"), std::string::npos) << "the system's setting is not the reason";
    const FakeSystem without;
    without.add("/proc/self/status", "THP_enabled:\t0\n");
    EXPECT_EQ(transparent_policy(without.files()), "") << "a kernel that has none says the same";
}

TEST(PageSizes, AreThoseOfTheirNamesOrWhatTheKernelTells) {
    const FakeSystem system;
    EXPECT_EQ(page_bytes_of(PageKind::huge_2m, system.files()), 2 * mib);
    EXPECT_EQ(page_bytes_of(PageKind::huge_1g, system.files()), 1024 * mib);
    EXPECT_EQ(page_bytes_of(PageKind::base, system.files()), base_page_bytes());
    EXPECT_EQ(page_bytes_of(PageKind::transparent_huge, system.files()), 2 * mib);
    system.add("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "33554432\n");
    EXPECT_EQ(page_bytes_of(PageKind::transparent_huge, system.files()), 32 * mib);
    for (const char* no_page : {"0", "32K", "3145728", "2048", "18446744073709551615", "-1", "x"}) {
        system.add("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", no_page);
        EXPECT_EQ(page_bytes_of(PageKind::transparent_huge, system.files()), 2 * mib) << no_page;
    }
}

TEST_F(ReservedPages, ThatAreFreeOnANodeAreNotSpokenForOnAny) {
    EXPECT_EQ(free_reserved_bytes(PageKind::huge_2m, 1, system.files()), 12 * 2 * mib) << "the node does not tell";
    const std::string on_node = "/sys/devices/system/node/node1/hugepages/hugepages-2048kB";
    system.add(on_node + "/free_hugepages", "7\n");
    EXPECT_EQ(free_reserved_bytes(PageKind::huge_2m, 1, system.files()), 3 * 2 * mib);
    system.add(on_node + "/free_hugepages", "3\n");
    EXPECT_EQ(free_reserved_bytes(PageKind::huge_2m, 1, system.files()), 0U);
    EXPECT_EQ(free_reserved_bytes(PageKind::huge_1g, 1, system.files()), std::nullopt);
    const FakeSystem older;
    older.add("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "5\n");
    EXPECT_EQ(free_reserved_bytes(PageKind::huge_2m, 0, older.files()), 5 * 2 * mib);
}

const std::string smaps = "7f0000000000-7f0000200000 ---p 00000000 00:00 0 \n"
                          "Size:               2048 kB\n"
                          "KernelPageSize:        4 kB\n"
                          "7f0000200000-7f0000a00000 rw-p 00000000 00:00 0 \n"
                          "Size:               8192 kB\n"
                          "KernelPageSize:        4 kB\n"
                          "AnonHugePages:      6144 kB\n"
                          "VmFlags: rd wr mr mw me ac hg \n"
                          "7f0000a00000-7f0000c00000 ---p 00000000 00:00 0 \n"
                          "AnonHugePages:         0 kB\n";

TEST(Smaps, TellsOfTheHugePagesOfTmpfsAndOfFilesLikeThoseOfPrivateMemory) {
    const GrantedPages granted = parse_smaps("AnonHugePages: 8 kB\n1000-9000 rw-s 00000000 00:2f 7 /dev/shm/area\n"
                                             "Size:               8192 kB\n"
                                             "AnonHugePages:         0 kB\n"
                                             "ShmemPmdMapped:     4096 kB\n"
                                             "FilePmdMapped:      2048 kB\n"
                                             "FilePmdMapped:\n",
                                             0x1000);
    EXPECT_EQ(granted.transparent_bytes, 6 * mib);
}

TEST(Smaps, TellsOfTheMappingThatHoldsTheAddress) {
    if (sizeof(std::uintptr_t) < 8)
        GTEST_SKIP() << "the sample has addresses of 64 bits";
    const GrantedPages granted = parse_smaps(smaps, static_cast<std::uintptr_t>(0x7f00009fffffU));
    EXPECT_EQ(granted.total_bytes, 8 * mib);
    EXPECT_EQ(granted.page_bytes, 4096U);
    EXPECT_EQ(granted.transparent_bytes, 6 * mib);
    EXPECT_EQ(parse_smaps(smaps, static_cast<std::uintptr_t>(0x7f0000a00000U)).transparent_bytes, 0U);
    EXPECT_EQ(parse_smaps(smaps, static_cast<std::uintptr_t>(0x7f0000c00000U)).transparent_bytes, std::nullopt);
    EXPECT_EQ(parse_smaps("", 1).page_bytes, 0U);
}

TEST(GrantedPages, AreAllOfASizeOnlyWhereNoneIsSmaller) {
    constexpr std::size_t huge = std::size_t{2} << 20U;
    const GrantedPages transparent{4096, 10 * huge, huge, 10 * huge};
    EXPECT_TRUE(is_all_in_pages_of(transparent, huge));
    EXPECT_TRUE(is_all_in_pages_of(transparent, 4096));
    EXPECT_FALSE(is_all_in_pages_of(transparent, std::size_t{1} << 30U));
    EXPECT_FALSE(is_all_in_pages_of({4096, 9 * huge, huge, 10 * huge}, huge)) << "part of it is in small ones";
    EXPECT_FALSE(is_all_in_pages_of({4096, std::nullopt, huge, 10 * huge}, huge));
    EXPECT_TRUE(is_all_in_pages_of({huge, std::nullopt, huge, 10 * huge}, huge)) << "reserved";
    EXPECT_TRUE(is_all_in_pages_of({}, huge)) << "the kernel does not say";
    EXPECT_FALSE(is_all_in_pages_of({4096, std::nullopt, huge, 1}, huge));
}

} // namespace
} // namespace memtest
