#include "memtest/report/stored_run.hpp"

#include <fmt/format.h>

namespace memtest {

std::optional<std::string> why_incomplete(const StoredRun& stored) {
    if (stored.cut)
        return "is cut: its last line has no end";
    const auto& end = stored.run.end;
    if (end && !end->complete())
        return fmt::format("has {} of {} {}{}", end->measured, end->planned, end->things(),
                           end->interrupted ? ": its run was interrupted or failed" : "");
    if (!end && stored.run.version)
        return "does not say how its run ended";
    return std::nullopt;
}

} // namespace memtest
