#include "memtest/report/csv_report.hpp"

#include "memtest/report/output_file.hpp"
#include "memtest/report/sweep_file.hpp"
#include "support/described_run.hpp"
#include "support/text_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace memtest {
namespace {

/// What a report of one row writes.
std::string written(bool quiet) {
    const TextFile file("report.csv", "");
    {
        OutputFile output(file.path());
        CsvReport report(output, {}, quiet);
        report.open(described_run());
        report.warn("the clock moved");
        Row row;
        row.size_bytes = 512;
        row.latency_ns = 1.25;
        report.row(row);
        report.close(described_run(), {});
        output.commit();
    }
    std::ifstream in(file.path());
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(CsvReport, SaysWhatIsKnownAtTheEndBehindTheRows) {
    const std::string text = written(false);
    EXPECT_TRUE(text.ends_with("\n# warning: the clock moved\n0, 0.00049, 1.250\n"
                               "# core clock range: 3.490 to 3.512 GHz\n# end: 20 of 41 sizes, interrupted\n"))
        << text;
    EXPECT_EQ(text.find("# end: "), text.rfind("# end: ")) << "once";
}

TEST(CsvReport, QuietSaysNothingBesideHeaderAndRows) {
    EXPECT_EQ(written(true), "Thread, Mem size (MiB), Access latency (ns)\n0, 0.00049, 1.250\n");
}

} // namespace
} // namespace memtest
