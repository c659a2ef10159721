#include "memtest/chain/walk.hpp"

#include "support/area.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace memtest {
namespace {

// --- what it does ---------------------------------------------------------------------------------------------------

class WalkOfEveryWidth : public testing::TestWithParam<std::tuple<Link, unsigned>> {};

TEST_P(WalkOfEveryWidth, EveryChainMovesOnByTheHopsAskedFor) {
    const auto [link, parallel] = GetParam();
    constexpr std::size_t line = 16;
    constexpr std::size_t count = 101; // a prime: no number of hops below it closes a lap
    Area area(line * count * parallel);
    std::array<std::uintptr_t, max_parallel> cursors{};
    std::vector<Nodes> chains;
    for (unsigned chain = 0; chain < parallel; ++chain) {
        chains.emplace_back(area.memory().data(), chain * count * line, line, link);
        for (std::size_t i = 0; i < count; ++i)
            chains[chain].set_next(i, (i + chain + 1) % count);
        cursors.at(chain) = chains[chain].link_to(0);
    }
    const Walk walk = walk_function(link, parallel);
    std::size_t hops_so_far = 0;
    for (const std::size_t hops : {0U, 1U, 2U, 63U, 64U, 65U, 128U, 1000U}) {
        walk(area.memory().data(), cursors.data(), hops);
        hops_so_far += hops;
        for (unsigned chain = 0; chain < parallel; ++chain)
            EXPECT_EQ(cursors.at(chain), chains[chain].link_to(hops_so_far * (chain + 1) % count));
    }
}

INSTANTIATE_TEST_SUITE_P(AllWidths, WalkOfEveryWidth,
                         testing::Combine(testing::Values(Link::pointer, Link::index),
                                          testing::Range(1U, max_parallel + 1)));

// --- what the compiler made of it -----------------------------------------------------------------------------------

std::vector<std::string> lines_printed_by(const std::string& command) {
    std::vector<std::string> lines;
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::array<char, 4096> buffer{};
    while (pipe != nullptr && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr)
        lines.emplace_back(buffer.data());
    return lines;
}

struct Instruction {
    std::string name;
    std::string operands;
};

/// The instructions of the walk for one chain over this kind of hop.
std::vector<Instruction> disassembled(const std::string& objdump, const std::string& object, const std::string& hop) {
    std::vector<Instruction> body;
    bool inside = false;
    for (const std::string& line : lines_printed_by(objdump + " -d -C --no-show-raw-insn '" + object + "'")) {
        if (line.find(">:") != std::string::npos)
            inside = line.find("walk<") != std::string::npos && line.find(hop + ", 1u") != std::string::npos;
        const std::size_t colon = line.find(":\t");
        if (!inside || colon == std::string::npos)
            continue;
        Instruction instruction;
        std::istringstream text(line.substr(colon + 2));
        text >> instruction.name;
        std::getline(text >> std::ws, instruction.operands);
        body.push_back(instruction);
    }
    return body;
}

/// Whether this is `register = load [register]`, for an index with the base in another register.
bool is_hop_x86_64(const Instruction& i) {
    if (i.name != "mov" || i.operands.empty() || i.operands[0] != '(')
        return false;
    const std::size_t close = i.operands.find(')');
    const std::string address = i.operands.substr(1, close - 1);
    const std::string target = i.operands.substr(close + 2);
    return address == target || address.starts_with(target + ",") || address.find("," + target) != std::string::npos;
}

bool is_hop_aarch64(const Instruction& i) {
    if (i.name != "ldr")
        return false;
    const std::string target = i.operands.substr(0, i.operands.find(','));
    return i.operands == target + ", [" + target + "]" || i.operands.ends_with(", " + target + "]");
}

/// The longest run of hops in which nothing but a step of the loop counter stands between two hops.
std::size_t longest_run_of_hops(const std::vector<Instruction>& body, bool (*is_hop)(const Instruction&)) {
    std::size_t longest = 0;
    std::size_t run = 0;
    for (const Instruction& i : body) {
        if (is_hop(i))
            ++run;
        else if (i.name != "sub" && i.name != "add")
            run = 0;
        longest = std::max(longest, run);
    }
    return longest;
}

struct Target {
    const char* name;
    const char* objdump;
    const char* object;
    bool (*is_hop)(const Instruction&);
};

void expect_unrolled_dependent_loads(const Target& target) {
    for (const std::string hop : {"PointerHop", "IndexHop"}) {
        const auto body = disassembled(target.objdump, target.object, hop);
        ASSERT_FALSE(body.empty()) << "no walk over " << hop << " in " << target.object;
        EXPECT_EQ(longest_run_of_hops(body, target.is_hop), 64U) << target.name << ", " << hop;
    }
}

// `is_hop` takes a load only when its address comes from the register that the same load writes, so that in an unbroken
// run of them each depends on the one before, and a store, a copy or a spill would break the run.

TEST(WalkMachineCode, IsDependentLoadsAndNothingElseOnX86) {
#ifdef WALK_OBJECT_X86_64
    expect_unrolled_dependent_loads({"x86-64", OBJDUMP_X86_64, WALK_OBJECT_X86_64, is_hop_x86_64});
#else
    GTEST_SKIP() << "not built for x86-64, or objdump is missing";
#endif
}

TEST(WalkMachineCode, IsDependentLoadsAndNothingElseOnAarch64) {
#ifdef WALK_OBJECT_AARCH64
    expect_unrolled_dependent_loads({"aarch64", OBJDUMP_AARCH64, WALK_OBJECT_AARCH64, is_hop_aarch64});
#else
    GTEST_SKIP() << "neither built for aarch64 nor is its cross compiler (g++-aarch64-linux-gnu) installed";
#endif
}

TEST(WalkMachineCode, TheCheckItselfSeesASpillAStoreAndAnIndependentLoad) {
    const std::vector<Instruction> hops(3, {"mov", "(%rax),%rax"});
    EXPECT_EQ(longest_run_of_hops(hops, is_hop_x86_64), 3U);
    for (const Instruction& intruder : std::vector<Instruction>{
             {"mov", "%rax,0x8(%rsp)"}, {"mov", "(%rbx),%rax"}, {"mov", "0x8(%rsp),%rax"}, {"movslq", "%eax,%rax"}}) {
        std::vector<Instruction> body = hops;
        body.insert(body.begin() + 1, intruder);
        EXPECT_EQ(longest_run_of_hops(body, is_hop_x86_64), 2U) << intruder.name << " " << intruder.operands;
    }
    EXPECT_TRUE(is_hop_x86_64({"mov", "(%rdi,%rax,1),%rax"}));
    EXPECT_TRUE(is_hop_aarch64({"ldr", "x3, [x0, x3]"}));
    EXPECT_FALSE(is_hop_aarch64({"ldr", "x3, [x0, x4]"}));
    EXPECT_FALSE(is_hop_aarch64({"str", "x3, [x3]"}));
}

} // namespace
} // namespace memtest
