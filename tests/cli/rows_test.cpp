#include "memtest/cli/rows.hpp"

#include "memtest/base/error.hpp"
#include "memtest/report/matrix.hpp"
#include "support/text_file.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstddef>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>

namespace memtest {
namespace {

class RowsOfFakes : public testing::Test {
protected:
    ~RowsOfFakes() override { std::filesystem::remove(path); }

    RowsMeasured rows(std::size_t count, const MeasureRow& measure) {
        OutputFile output(path);
        ResultWriter writer(output, nodes_kind, {.quiet = true});
        const RowsMeasured result = measure_rows(writer, count, measure, true);
        output.commit();
        return result;
    }

    [[nodiscard]] std::string written() const { return read_text(path); }

    static ResultRow row_of(std::size_t number) { return nodes_row(0, static_cast<int>(number), 9); }

    const std::string path = testing::TempDir() + "memtest-rows-" + std::to_string(getpid());
};

TEST_F(RowsOfFakes, AreWrittenInTheirOrder) {
    const auto result = rows(3, [](std::size_t number) { return row_of(number); });
    EXPECT_EQ(written(), "0, 0, 9.000\n0, 1, 9.000\n0, 2, 9.000\n");
    EXPECT_EQ(result.end, (RunEnd{.measured = 3, .planned = 3, .interrupted = false, .of_rows = true}));
    EXPECT_EQ(result.failure, nullptr);
}

TEST_F(RowsOfFakes, EndWhereOneIsInterruptedAndStay) {
    std::size_t asked = 0;
    const auto result = rows(3, [&asked](std::size_t number) {
        ++asked;
        return number == 1 ? std::nullopt : std::optional(row_of(number));
    });
    EXPECT_EQ(written(), "0, 0, 9.000\n");
    EXPECT_EQ(asked, 2U) << "none behind it is measured";
    EXPECT_EQ(result.end, (RunEnd{.measured = 1, .planned = 3, .interrupted = true, .of_rows = true}));
    EXPECT_EQ(result.failure, nullptr);
}

TEST_F(RowsOfFakes, EndWhereOneFailsAndStayAndTheFailureIsHandedOn) {
    const auto result = rows(3, [](std::size_t number) -> std::optional<ResultRow> {
        if (number == 2)
            throw Error("no");
        return row_of(number);
    });
    EXPECT_EQ(written(), "0, 0, 9.000\n0, 1, 9.000\n");
    EXPECT_EQ(result.end, (RunEnd{.measured = 2, .planned = 3, .interrupted = true, .of_rows = true}));
    EXPECT_THROW(std::rethrow_exception(result.failure), Error);
}

} // namespace
} // namespace memtest
