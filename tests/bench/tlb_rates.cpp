// How often simulated TLBs are read right, kind by kind: the table of the README.
#include "support/simulated_tlbs.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace memtest::test;

constexpr std::array<std::pair<Victim, std::string_view>, 3> victims{{{Victim::oldest, "least recently used"},
                                                                      {Victim::not_recent, "not recently used"},
                                                                      {Victim::random_entry, "random"}}};

void print_row(std::string_view place, std::string_view replacement, Walks walks, const TlbTally& tally) {
    fmt::print("| {}, {}{} | {} of {} | {} | {} | {} | {} of {} |\n", place, replacement,
               walks == Walks::nested ? ", nested walks" : "", tally.found, tally.tlbs, tally.exact, tally.within_15,
               tally.within_range, tally.high_and_right, tally.high);
}

void print_rows(bool is_second, Walks walks, const std::vector<std::size_t>& entries,
                const std::vector<std::pair<TlbDesign, std::string_view>>& designs) {
    constexpr int machines_of_a_size = 4;
    for (const auto& [design, place] : designs) {
        for (const auto& [victim, replacement] : victims) {
            TlbDesign replacing = design;
            replacing.victim = victim;
            print_row(place, replacement, walks, read_tlbs(replacing, is_second, entries, machines_of_a_size, walks));
        }
    }
}

} // namespace

int main() {
    fmt::print("| TLB | found | exact | within 15 % | within the range | high, right |\n"
               "| --- | --- | --- | --- | --- | --- |\n");
    print_rows(false, Walks::steady, {16, 32, 48, 64, 72, 96, 128},
               {{{.placing = Placing::anywhere}, "first, fully associative"},
                {{.ways = 4, .placing = Placing::by_number}, "first, 4 ways by page number"},
                {{.ways = 4, .placing = Placing::by_hash}, "first, 4 ways hashed"}});
    for (const Walks walks : {Walks::steady, Walks::nested}) {
        print_rows(true, walks, {512, 1024, 1536, 2048, 3072, 4096},
                   {{{.ways = 8, .placing = Placing::by_number}, "second, 8 ways by page number"},
                    {{.ways = 8, .placing = Placing::by_hash}, "second, 8 ways hashed"},
                    {{.ways = 12, .placing = Placing::by_hash}, "second, 12 ways hashed"}});
    }
}
