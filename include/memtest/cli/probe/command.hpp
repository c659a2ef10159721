#pragma once

#include "memtest/base/error.hpp"

#include <string>
#include <vector>

namespace memtest {

/// `memtest [options]`: describes the run, measures, and writes every row at once. @throws Error
ExitStatus run_probe(const std::vector<std::string>& arguments);

} // namespace memtest
