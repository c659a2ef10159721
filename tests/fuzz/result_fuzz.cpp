// Whatever a file holds, it is read as a result of sound figures or refused as a usage error.

#include "memtest/base/error.hpp"
#include "memtest/report/loaded.hpp"
#include "memtest/report/matrix.hpp"
#include "memtest/report/result_reader.hpp"
#include "memtest/report/sweep.hpp"
#include "memtest/report/translation.hpp"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

using memtest::require;

namespace {

void check(const memtest::Result& result) {
    require(!result.rows.empty(), "a result has rows");
    for (const memtest::ResultRow& row : result.rows) {
        for (std::size_t i = 0; i < result.kind->columns.size(); ++i) {
            const memtest::Column& column = result.kind->columns[i];
            const auto number = row.number(i);
            require(!number || column.holds(*number), "a figure is in its range");
            require(row[i].is_known() || !column.needed, "what is needed is known");
        }
    }
    static_cast<void>(why_incomplete(result));
    if (result.kind == &memtest::sweep_kind)
        static_cast<void>(curves_of(result));
    else if (result.kind == &memtest::tlb_kind)
        static_cast<void>(read_tlb(result));
    else if (result.kind == &memtest::loaded_kind)
        static_cast<void>(points_of(result));
    else
        static_cast<void>(cells_of(result));
}

} // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream in(std::string(data, data + size));
    try {
        check(memtest::read_result(in, "fuzz.csv"));
    } catch (const memtest::Error& error) {
        require(error.status() == memtest::ExitStatus::usage, "a file that is no result is a usage error");
        for (const char* c = error.what(); *c != '\0'; ++c)
            require(*c >= ' ' && *c <= '~', "a message is one printable line");
    }
    return 0;
}
