#pragma once

#include "memtest/cli/options.hpp"

namespace memtest {

/// Runs the probe as asked: describes the run, measures, writes every row as soon as it is known. @throws Error
void run_probe(const Options& options);

} // namespace memtest
