#pragma once

#include "memtest/chain/random.hpp"
#include "memtest/measure/page_probe.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memtest::test {

/// Which entry of a set makes room.
enum class Victim {
    oldest,     ///< the least recently used
    not_recent, ///< the first one that was not used since all others of its set were
    random_entry,
};

/// Where the translation of a page may be.
enum class Placing {
    anywhere,
    by_number, ///< in the set that the low bits of the page's number name
    by_hash,   ///< in the set that all its bits name
};

struct TlbDesign {
    std::size_t entries = 64;
    std::size_t ways = 8; ///< divides `entries`; not used where a page may be anywhere
    Placing placing = Placing::anywhere;
    Victim victim = Victim::oldest;
};

/// How page walks grow with the pages.
enum class Walks {
    steady, ///< from 16 ns by a third with each doubling
    nested, ///< as measured in a virtual machine on a Zen 5: from 8 ns to 44 within a doubling and a half
};

/// A TLB that is looked up page by page.
class SimulatedTlb {
public:
    SimulatedTlb(const TlbDesign& design, std::uint64_t seed);

    /// Whether it holds the translation; it does from then on.
    bool look_up(std::uint64_t page);

private:
    struct Entry {
        std::uint64_t page = 0;
        std::uint64_t used = 0; ///< when, from 1; 0: empty, or not recently
    };

    [[nodiscard]] Entry& victim_of(std::size_t first);
    void note_use(Entry& entry, std::size_t first);

    TlbDesign design_;
    std::size_t ways_;
    std::vector<Entry> entries_;
    std::uint64_t uses_ = 0;
    SplitMix64 random_;
};

/// A probe of a machine with two such TLBs, on random cycles through pages that lie side by side.
class SimulatedTranslation : public TranslationProbe {
public:
    SimulatedTranslation(const TlbDesign& first, const TlbDesign& second, Walks walks, std::uint64_t seed)
        : first_(first), second_(second), walks_(walks), random_(seed) {}

    [[nodiscard]] std::optional<TranslationRound> measure(std::size_t pages, Layout first) override;

private:
    TlbDesign first_;
    TlbDesign second_;
    Walks walks_;
    SplitMix64 random_;
};

/// How TLBs of one kind of design were read, over several sizes.
struct TlbTally {
    int tlbs = 0;
    int found = 0;
    int exact = 0;     ///< the best estimate is the number of entries
    int within_15 = 0; ///< it is within 15 percent
    int within_range = 0;
    int high = 0;           ///< told with high confidence
    int high_and_right = 0; ///< and exact if it is a first one, within 15 percent if a second one
};

/// Reads TLBs of such a design on machines that differ in nothing else: first ones before a hashed second one, or
/// second ones behind a first one of 64 entries. @param entries the sizes @param seeds machines of each size
[[nodiscard]] TlbTally read_tlbs(TlbDesign design, bool is_second, const std::vector<std::size_t>& entries, int seeds,
                                 Walks walks = Walks::steady);

} // namespace memtest::test
