#include "memtest/result/report_writer.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/result/json.hpp"
#include "memtest/result/output_file.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace memtest {

ReportWriter::ReportWriter(OutputFile& output) : output_(output) {
    output_.write(fmt::format("{{\n  \"schema\": {},\n  \"command\": \"report\",\n  \"parts\": {{", schema_version));
}

void ReportWriter::part(std::string_view name, std::string_view document) {
    std::string text = fmt::format("{}\n    {}: ", has_parts_ ? "," : "", dumped(name));
    for (const char c : trimmed(document)) { // strings have no line ends
        text += c;
        if (c == '\n')
            text += "    ";
    }
    // Where only the part fits on the disk, the report would have no end and could not be read.
    constexpr std::size_t room_for_end = 4096;
    const std::size_t room = output_.is_file() ? room_for_end : 0;
    try {
        output_.write(text.append(room, ' '));
        output_.take_back(room);
    } catch (const Error& error) {
        end({{std::string(name), error.what()}});
        throw;
    }
    has_parts_ = true;
}

void ReportWriter::end(const std::vector<MissingPart>& missing) {
    const auto line = [](const MissingPart& part) {
        return "\n    " + dumped(Members{{"part", part.part}, {"reason", part.reason}});
    };
    output_.write(
        fmt::format("\n  }},\n  \"missing\": [{}{}]\n}}\n", joined(missing, ",", line), missing.empty() ? "" : "\n  "));
}

} // namespace memtest
