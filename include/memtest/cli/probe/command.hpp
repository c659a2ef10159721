#pragma once

#include "memtest/base/error.hpp"

#include <string>
#include <vector>

namespace memtest {

/// `memtest [options]`: describes the run, measures, writes every row as soon as it is known. @throws Error
ExitStatus run_probe(const std::vector<std::string>& arguments);

} // namespace memtest
