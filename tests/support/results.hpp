#pragma once

#include "memtest/report/result.hpp"
#include "memtest/report/result_reader.hpp"
#include "memtest/report/result_writer.hpp"
#include "support/text_file.hpp"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace memtest {

/// What a file with this text holds.
inline Result result_of(const std::string& text, const std::string& name = "sweep.csv") {
    std::istringstream in(text);
    return read_result(in, name);
}

/// What a writer writes, by way of a file of its own. @param write takes the writer
template<class Write>
std::string written(const Kind& kind, const ResultStyle& style, const Write& write) {
    const TextFile file("written", "");
    OutputFile output(file.path());
    ResultWriter writer(output, kind, style);
    write(writer);
    output.commit();
    return read_text(file.path());
}

/// The rows of a kind as CSV with all its columns, without the header.
inline std::string csv_rows(const Kind& kind, const std::vector<ResultRow>& rows) {
    const ResultStyle all{.quiet = true, .groups = {ColumnGroup::cycles, ColumnGroup::stats}};
    const std::string text = written(kind, all, [&](ResultWriter& writer) {
        writer.begin();
        for (const ResultRow& row : rows)
            writer.row(row);
    });
    return text.substr(text.find('\n') + 1);
}

/// The first line of the CSV, without its end.
inline std::string csv_header(const Kind& kind, std::vector<ColumnGroup> groups = {}) {
    const std::string text =
        written(kind, {.quiet = true, .groups = std::move(groups)}, [](ResultWriter& writer) { writer.begin(); });
    return text.substr(0, text.find('\n'));
}

} // namespace memtest
