#include "memtest/chain/walk.hpp"

#include "memtest/chain/cycle.hpp"
#include "support/area.hpp"
#include "support/test.hpp"

#include <cstdio>
#include <memory>
#include <sstream>
#include <tuple>

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
                                          testing::Range(1U, max_parallel + 1)),
                         [](const auto& test) {
                             return std::string(word_of(std::get<0>(test.param))) +
                                    std::to_string(std::get<1>(test.param));
                         });

class TimedHops : public testing::TestWithParam<Link> {};

TEST_P(TimedHops, AGroupOfHopsLiesBetweenTwoReadings) {
    constexpr std::size_t count = 101;
    Area area(64 * count);
    const Nodes nodes(area.memory().data(), 0, 64, GetParam());
    for (std::size_t i = 0; i < count; ++i)
        nodes.set_next(i, (i + 1) % count);
    for (const std::size_t group : {1U, 7U}) {
        std::uintptr_t cursor = nodes.link_to(0);
        std::array<std::uint64_t, 11> readings{};
        time_hops(GetParam(), area.memory().data(), cursor, group, readings);
        EXPECT_EQ(cursor, nodes.link_to(readings.size() * group % count));
        EXPECT_TRUE(std::ranges::is_sorted(readings));
        EXPECT_EQ(readings.back() > 0, has_tick_counter);
    }
}

INSTANTIATE_TEST_SUITE_P(BothLinks, TimedHops, testing::Values(Link::pointer, Link::index),
                         [](const auto& test) { return std::string(word_of(test.param)); });

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

/// The register of a hop, `register = load [register]`, for an index with the base in another; empty for anything else.
std::string hop_register_x86_64(const Instruction& i) {
    if (i.name != "mov" || i.operands.empty() || i.operands[0] != '(')
        return "";
    const std::size_t close = i.operands.find(')');
    const std::string address = i.operands.substr(1, close - 1) + ",";
    const std::string target = i.operands.substr(close + 2);
    const bool in_address = address.starts_with(target + ",") || address.find("," + target + ",") != std::string::npos;
    return in_address ? target : "";
}

std::string hop_register_aarch64(const Instruction& i) {
    const std::string target = i.operands.substr(0, i.operands.find(','));
    const bool is_hop =
        i.name == "ldr" && (i.operands == target + ", [" + target + "]" || i.operands.ends_with(", " + target + "]"));
    return is_hop ? target : "";
}

/// Whether this only steps the loop's counter: an addition that has nothing to do with the chain's register.
bool is_loop_control(const Instruction& i, const std::string& chain) {
    return (i.name == "sub" || i.name == "add") && i.operands.find(chain) == std::string::npos;
}

/// The longest run of hops through one register in which nothing but a step of the loop's counter stands between two.
std::size_t longest_run_of_hops(const std::vector<Instruction>& body, std::string (*hop_register)(const Instruction&)) {
    std::size_t longest = 0;
    std::size_t run = 0;
    std::string chain;
    for (const Instruction& i : body) {
        const std::string through = hop_register(i);
        if (!through.empty()) {
            run = through == chain ? run + 1 : 1;
            chain = through;
        } else if (run > 0 && !is_loop_control(i, chain)) {
            run = 0;
        }
        longest = std::max(longest, run);
    }
    return longest;
}

struct Target {
    const char* name;
    const char* objdump;
    const char* object;
    std::string (*hop_register)(const Instruction&);
};

void expect_unrolled_dependent_loads(const Target& target) {
    for (const std::string hop : {"PointerHop", "IndexHop"}) {
        const auto body = disassembled(target.objdump, target.object, hop);
        ASSERT_FALSE(body.empty()) << "no walk over " << hop << " in " << target.object;
        EXPECT_EQ(longest_run_of_hops(body, target.hop_register), 64U) << target.name << ", " << hop;
    }
}

// A load counts only when its address comes from the register that it writes, and a run only while that register stays
// the same and nothing else touches it, as a store, a copy or a spill: so each hop depends on the one before.

TEST(WalkMachineCode, IsDependentLoadsAndNothingElseOnX86) {
#ifdef WALK_OBJECT_X86_64
    expect_unrolled_dependent_loads({"x86-64", OBJDUMP_X86_64, WALK_OBJECT_X86_64, hop_register_x86_64});
#else
    GTEST_SKIP() << "not built for x86-64, or objdump is missing";
#endif
}

TEST(WalkMachineCode, IsDependentLoadsAndNothingElseOnAarch64) {
#ifdef WALK_OBJECT_AARCH64
    expect_unrolled_dependent_loads({"aarch64", OBJDUMP_AARCH64, WALK_OBJECT_AARCH64, hop_register_aarch64});
#else
    GTEST_SKIP() << "neither built for aarch64 nor is its cross compiler (g++-aarch64-linux-gnu) installed";
#endif
}

TEST(WalkMachineCode, TheCheckItselfSeesWhatWouldFalsifyALatency) {
    const std::vector<Instruction> hops(3, {"mov", "(%rax),%rax"});
    EXPECT_EQ(longest_run_of_hops(hops, hop_register_x86_64), 3U);
    const std::vector<Instruction> intruders{{"mov", "%rax,0x8(%rsp)"}, // a spill
                                             {"mov", "(%rbx),%rax"},    // an independent load
                                             {"mov", "0x8(%rsp),%rax"}, // a reload
                                             {"movslq", "%eax,%rax"},   // a sign extension
                                             {"add", "%rdi,%rax"},      // an addition on the path
                                             {"mov", "(%rbx),%rbx"}};   // a second chain
    for (const Instruction& intruder : intruders) {
        std::vector<Instruction> body = hops;
        body.insert(body.begin() + 1, intruder);
        EXPECT_LE(longest_run_of_hops(body, hop_register_x86_64), 2U) << intruder.name << " " << intruder.operands;
    }
    std::vector<Instruction> with_counter = hops;
    with_counter.insert(with_counter.begin() + 1, {"sub", "$0x40,%rcx"});
    EXPECT_EQ(longest_run_of_hops(with_counter, hop_register_x86_64), 3U);

    EXPECT_EQ(hop_register_x86_64({"mov", "(%rdi,%rax,1),%rax"}), "%rax");
    EXPECT_EQ(hop_register_aarch64({"ldr", "x3, [x0, x3]"}), "x3");
    EXPECT_EQ(hop_register_aarch64({"ldr", "x3, [x0, x4]"}), "");
    EXPECT_EQ(hop_register_aarch64({"str", "x3, [x3]"}), "");
    const std::vector<Instruction> addition_on_the_path{
        {"add", "x1, x0, x1"}, {"ldr", "x1, [x1]"}, {"add", "x1, x0, x1"}, {"ldr", "x1, [x1]"}};
    EXPECT_EQ(longest_run_of_hops(addition_on_the_path, hop_register_aarch64), 1U);
}

} // namespace
} // namespace memtest
