#include "memtest/kinds/comparison_findings.hpp"
#include "memtest/kinds/cores.hpp"
#include "memtest/kinds/fleet.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/nodes.hpp"
#include "memtest/kinds/prefetch.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/tail.hpp"
#include "memtest/kinds/tlb.hpp"
#include "memtest/kinds/translation.hpp"
#include "memtest/result/kind.hpp"

#include <algorithm>
#include <array>

namespace memtest {

std::span<const Kind* const> all_kinds() {
    static const auto kinds =
        std::to_array<const Kind*>({&sweep_kind, &tlb_kind, &cores_kind, &loaded_kind, &tail_kind, &nodes_kind,
                                    &prefetch_kind, &levels_kind, &translation_kind, &compare_kind, &fleet_kind});
    return kinds;
}

std::span<const Kind* const> stored_kinds() {
    const auto measured = std::ranges::count_if(all_kinds(), [](const Kind* kind) { return kind->facts.measured; });
    return all_kinds().first(static_cast<std::size_t>(measured));
}

} // namespace memtest
