#pragma once

#include "memtest/chain/random.hpp"
#include "memtest/measure/page_probe.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace memtest {

/// How a TLB replaces its entries.
enum class Replacement {
    least_recently_used, ///< one page too many, and all miss
    tree,                ///< one page too many, and half miss: what processors have for it
    hashed, ///< sets of eight fill by chance: some overflow from half of the entries on, half at all of them
    random,
};

struct GeneratedTlb {
    std::size_t entries = 0; ///< 0 for none
    Replacement replacement = Replacement::tree;
};

/// A machine whose translation is known.
struct TranslationMachine {
    GeneratedTlb first{.entries = 72};
    GeneratedTlb second{.entries = 3072, .replacement = Replacement::hashed};
    double second_hit_ns = 1.9;
    double walk_ns = 8;          ///< right behind the last TLB
    double walk_growth = 1.6;    ///< per doubling of the pages
    double first_cache_ns = 1.1; ///< of a packed line
    double second_cache_ns = 3.7;
    std::size_t first_cache_lines = 512;
    double noise = 0; ///< at most so much is added, as a share of each latency
};

/// The cost of translation on the machine with this many pages in use.
[[nodiscard]] double generated_cost_ns(const TranslationMachine& machine, std::size_t pages);

/// A probe of such a machine that notes each measurement asked of it.
class GeneratedTranslation : public TranslationProbe {
public:
    struct Asked {
        std::size_t pages;
        Layout first;
    };

    explicit GeneratedTranslation(const TranslationMachine& machine, std::uint64_t seed = 1)
        : machine_(machine), random_(seed) {}

    [[nodiscard]] std::optional<TranslationRound> measure(std::size_t pages, Layout first) override;

    /// Disturbs `count` measurements, from this one on: the spread lines take ten times as long.
    void disturb(std::size_t from, std::size_t count) {
        disturbed_from_ = from;
        disturbed_ = count;
    }

    void interrupt_after(std::size_t measurements) { interrupted_after_ = measurements; }

    [[nodiscard]] const std::vector<Asked>& asked() const { return asked_; }

private:
    [[nodiscard]] double noisy(double ns);

    TranslationMachine machine_;
    SplitMix64 random_;
    std::vector<Asked> asked_;
    std::size_t disturbed_from_ = 0;
    std::size_t disturbed_ = 0;
    std::size_t interrupted_after_ = std::numeric_limits<std::size_t>::max();
};

} // namespace memtest
