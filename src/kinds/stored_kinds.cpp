#include "memtest/kinds/cores.hpp"
#include "memtest/kinds/loaded.hpp"
#include "memtest/kinds/nodes.hpp"
#include "memtest/kinds/prefetch.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/tail.hpp"
#include "memtest/kinds/tlb.hpp"
#include "memtest/result/kind.hpp"

#include <array>

namespace memtest {

std::span<const Kind* const> stored_kinds() {
    static const std::array<const Kind*, 7> kinds{&sweep_kind, &tlb_kind,   &cores_kind,   &loaded_kind,
                                                  &tail_kind,  &nodes_kind, &prefetch_kind};
    return kinds;
}

} // namespace memtest
