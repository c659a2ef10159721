#include "memtest/report/kind.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/prefetch.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/tail.hpp"
#include "memtest/report/translation.hpp"

#include <array>

namespace memtest {

std::span<const Kind* const> stored_kinds() {
    static const std::array<const Kind*, 8> kinds{&sweep_kind, &tlb_kind,   &cores_kind,    &loaded_kind,
                                                  &tail_kind,  &nodes_kind, &prefetch_kind, &tail_histogram_kind};
    return kinds;
}

} // namespace memtest
