#pragma once

#include "memtest/report/run_description.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// What every stored result has beside its rows.
struct StoredRun {
    std::string name = {}; ///< of the file, for messages
    RunDescription run = {};
    std::vector<std::string> remarks = {}; ///< and warnings, in the order of the file; of a sweep, warnings alone
    bool cut = false;                      ///< the file ends within a line, which is left out, or within its JSON
};

/// Why rows may be missing, as the end of a sentence that begins with the file's name: it is cut, the run was
/// interrupted or failed, or nothing says how it ended. Nothing for a whole result, and for one that says nothing of
/// itself (of the classic tool, or of --quiet).
[[nodiscard]] std::optional<std::string> why_incomplete(const StoredRun& stored);

} // namespace memtest
