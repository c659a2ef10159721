#pragma once

#include <string>
#include <vector>

namespace memtest {

/// Processors that are alike.
struct CoreKind {
    std::string name;            ///< "P-core", "Cortex-A55", "L3-96MiB": a word that no other kind here has
    std::vector<int> processors; ///< in the order of the ids

    bool operator==(const CoreKind&) const = default;
};

} // namespace memtest
