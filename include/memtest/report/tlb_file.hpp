#pragma once

#include "memtest/insight/tlb.hpp"
#include "memtest/report/stored_run.hpp"
#include "memtest/report/sweep_file.hpp"

#include <optional>
#include <string>

namespace memtest {

/// A stored result of `memtest tlb`.
struct StoredTranslation : StoredRun {
    double page_bytes = 0;
    Translation translation = {}; ///< read off the rows
};

/// Reads what `memtest tlb` wrote; nothing where the file holds something else. `-` is standard input.
/// @throws Error (usage) when it cannot be opened or is cut JSON, or that names a row that is none; Error when it
/// cannot be read
[[nodiscard]] std::optional<StoredTranslation> read_tlb_file(const std::string& path);

/// The sweep without what translation adds to it, so that the end of a TLB does not look like a cache.
/// @throws Error (usage) where that is not known: the sweep is not in random order, confined by --tlb-locality, or of
/// other pages
[[nodiscard]] StoredSweep without_translation(StoredSweep sweep, const StoredTranslation& stored);

} // namespace memtest
