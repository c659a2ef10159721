#include "memtest/cli/rows.hpp"

#include "memtest/cli/messages.hpp"

#include <fmt/format.h>

namespace memtest {

RowsMeasured measure_rows(ResultWriter& writer, std::size_t count, const MeasureRow& measure, bool quiet) {
    ProgressLine progress(!quiet);
    RowsMeasured result{.end = {.measured = 0, .planned = count, .of_rows = true}, .failure = nullptr};
    try {
        while (result.end.measured < count) {
            progress.show(fmt::format("{} of {} rows", result.end.measured, count));
            const auto row = measure(result.end.measured);
            if (!row)
                break;
            progress.clear();
            writer.row(*row);
            ++result.end.measured;
        }
    } catch (...) {
        result.failure = std::current_exception();
    }
    result.end.interrupted = result.end.measured < count;
    return result;
}

} // namespace memtest
