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
    for (const std::string& sentence : result.warnings)
        warn(fmt::format("{}: {}", result.name, sentence));
}

void warn_if_incomplete(const Result& result) {
    if (const auto reason = why_incomplete(result))
        warn(fmt::format("{} {}: rows may be missing", result.name, *reason));
}

} // namespace memtest
