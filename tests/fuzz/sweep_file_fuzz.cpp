// Whatever a file holds, it is read as a sweep of sound figures or refused as a usage error.

#include "memtest/base/error.hpp"
#include "memtest/report/sweep_file.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

using memtest::require;

namespace {

void check(const memtest::StoredSweep& sweep) {
    require(!sweep.rows.empty(), "a sweep has rows");
    require(sweep.threads().front() >= 0, "threads are counted from 0");
    for (const memtest::StoredRow& row : sweep.rows) {
        require(std::isfinite(row.size_bytes) && row.size_bytes > 0, "a size is above 0");
        for (const auto& figure : {row.latency_ns, row.cycles, row.min_ns, row.median_ns, row.mean_ns})
            require(!figure || (std::isfinite(*figure) && *figure > 0), "a latency is above 0");
        for (const auto& figure : {row.spread_percent, row.visits_percent})
            require(!figure || (std::isfinite(*figure) && *figure >= 0), "a spread is not negative");
    }
}

} // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream in(std::string(data, data + size));
    try {
        check(memtest::read_sweep(in, "fuzz.csv"));
    } catch (const memtest::Error& error) {
        require(error.status() == memtest::ExitStatus::usage, "a file that is no sweep is a usage error");
        for (const char* c = error.what(); *c != '\0'; ++c)
            require(*c >= ' ' && *c <= '~', "a message is one printable line");
    }
    return 0;
}
