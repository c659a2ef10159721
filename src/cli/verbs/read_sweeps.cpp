#include "memtest/cli/verbs/read_sweeps.hpp"

#include "memtest/base/error.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/report/result_reader.hpp"
#include "memtest/report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memtest {

void check_standard_input(const std::vector<std::string>& files) {
    if (std::ranges::count(files, "-") > 1)
        throw usage_error("'-', which is standard input, may be given once");
}

std::vector<Result> read_sweeps(const std::vector<std::string>& files) {
    check_standard_input(files);
    std::vector<Result> sweeps;
    for (const std::string& file : files)
        sweeps.push_back(read_result(file, sweep_kind));
    return sweeps;
}

void repeat_warnings(const Result& result) {
    constexpr std::size_t most = 3;
    for (std::size_t i = 0; i < std::min(most, result.warnings.size()); ++i)
        warn(fmt::format("{}: {}", result.name, result.warnings[i]));
    if (result.warnings.size() > most)
        warn(fmt::format("{}: has {} more warnings", result.name, result.warnings.size() - most));
}

void warn_of(const Result& result) {
    if (const auto reason = why_incomplete(result))
        warn(fmt::format("{} {}: rows may be missing", result.name, *reason));
    repeat_warnings(result);
}

} // namespace memtest
