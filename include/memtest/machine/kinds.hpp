#pragma once

#include "memtest/machine/processors.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// Processors that are alike.
struct CoreKind {
    std::string name;            ///< "P-core", "Cortex-A55", "L3-96MiB": a word that no other kind here has
    std::vector<int> processors; ///< in the order of the ids

    bool operator==(const CoreKind&) const = default;
};

/// The kinds among these processors, in the order of their first. Kinds differ in the type that the kernel's PMU or
/// MIDR gives, in the sizes of their caches, or in capacity beyond what their frequency explains; frequency alone
/// makes none, as favoured cores differ in it. What is not known of a processor makes none either. Each of several
/// kinds has a name of its own, with an ordinal if nothing known tells it apart; a single kind has none.
[[nodiscard]] std::vector<CoreKind> kinds_of(const std::vector<Processor>& processors);

/// The kind that has the processor. @pre one has
[[nodiscard]] const CoreKind& kind_with(const std::vector<CoreKind>& kinds, int processor);

/// The kind with this name in upper or lower case; null if there is none.
[[nodiscard]] const CoreKind* kind_called(const std::vector<CoreKind>& kinds, std::string_view name);

/// Those of the kind of this processor first, else in their order. @pre it is among them, or all stay as they are
[[nodiscard]] std::vector<Processor> with_kind_first(std::vector<Processor> processors, int processor);

} // namespace memtest
