#pragma once

#include "memtest/chain/page_chain.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/machine/system_files.hpp"
#include "memtest/measure/team.hpp"
#include "memtest/measure/translation_sweep.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace memtest {

/// The memory and chains for measuring translation.
struct PageProbePlan {
    PageKind pages = PageKind::base;
    PageUnits units;
    std::size_t most_pages = 0;
    std::uint64_t seed = 1;
};

/// The bytes of memory that the plan takes.
[[nodiscard]] std::size_t memory_bytes_for(const PageProbePlan& plan);

/// The probe of translation on the real machine, for the calling thread and its processor. Each round links its chains
/// anew, in another random order.
class PageProbe : public TranslationProbe {
public:
    /// @throws Error when the system refuses the memory @param interrupted ends a measurement early
    PageProbe(const PageProbePlan& plan, const SystemFiles& files, const std::atomic<bool>& interrupted);

    [[nodiscard]] std::optional<TranslationRound> measure(std::size_t pages, Layout first) override;

    [[nodiscard]] ThreadFacts facts(const SystemFiles& files);

private:
    [[nodiscard]] std::optional<double> ns_per_access(PageChain& chain, std::size_t lines, std::uint64_t seed);

    const std::atomic<bool>& interrupted_;
    Arena arena_;
    PageChain spread_;
    PageChain packed_;
    MonotonicClock clock_;
    ClockQuality quality_;
    std::uint64_t seed_;
    std::uint64_t round_ = 0;
};

} // namespace memtest
