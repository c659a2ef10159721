#pragma once

#include "memtest/report/output_file.hpp"

#include <functional>
#include <optional>
#include <string>

namespace memtest {

/// Opens the result's file, lets `write` fill it, and puts it in place when the run is whole. From here on a signal
/// interrupts the run. An interrupted or failed run leaves what it has in FILE.partial, and a warning says so.
/// @throws Error like OutputFile, and what `write` throws
void write_result(const std::optional<std::string>& path, const std::function<void(OutputFile&)>& write);

} // namespace memtest
