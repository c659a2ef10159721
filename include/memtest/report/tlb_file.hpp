#pragma once

#include "memtest/insight/tlb.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/sweep_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// What a stored `memtest tlb` tells.
struct StoredTranslation {
    std::string name; ///< of the file, for messages
    RunDescription run;
    bool cut = false; ///< the file ends within a line
    double page_bytes = 0;
    Translation translation;               ///< read off the rows
    std::vector<std::string> remarks = {}; ///< and warnings
};

/// Reads what `memtest tlb` wrote; nothing where the file holds something else. @throws Error like read_table_file, and
/// (usage) for a row that is none
[[nodiscard]] std::optional<StoredTranslation> read_tlb_file(const std::string& path);

/// The sweep without what translation adds to it, so that where a TLB ends does not look like a cache. @throws Error
/// (usage) where that is not known: the sweep is not in random order, confined by --tlb-locality, or of other pages
[[nodiscard]] StoredSweep without_translation(StoredSweep sweep, const StoredTranslation& stored);

} // namespace memtest
