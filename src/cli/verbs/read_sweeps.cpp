#include "memtest/cli/verbs/read_sweeps.hpp"

#include "memtest/base/error.hpp"
#include "memtest/cli/messages.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memtest {

void check_standard_input(const std::vector<std::string>& files) {
    if (std::ranges::count(files, "-") > 1)
        throw usage_error("'-', which is standard input, may be given once");
}

std::vector<StoredSweep> read_sweeps(const std::vector<std::string>& files) {
    check_standard_input(files);
    std::vector<StoredSweep> sweeps;
    for (const std::string& file : files)
        sweeps.push_back(read_sweep_file(file));
    return sweeps;
}

void warn_if_incomplete(const StoredRun& stored) {
    if (const auto reason = why_incomplete(stored))
        warn(fmt::format("{} {}: rows may be missing", stored.name, *reason));
}

} // namespace memtest
