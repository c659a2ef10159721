#include "memtest/report/run_lines.hpp"

#include "memtest/base/text.hpp"
#include "memtest/report/run_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace memtest {

std::string keyed_line(std::string_view key, std::string_view value) {
    return fmt::format("# {}: {}\n", key, value);
}

std::string keyed_lines(const KeyedLines& lines) {
    std::string text;
    for (const auto& [key, value] : lines)
        text += keyed_line(key, value);
    return text;
}

std::optional<KeyedLine> parse_keyed_line(std::string_view line) {
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("# ") || colon == std::string_view::npos)
        return std::nullopt;
    return std::pair(line.substr(2, colon - 2), trimmed(line.substr(colon + 2)));
}

bool read_run_line(RunDescription& run, const KeyedLine& line) {
    const auto key = std::ranges::find(run_keys(), line.first, &RunKey::key);
    if (key == run_keys().end() || key->read_text == nullptr)
        return true;
    return key->read_text(run, line.second) || !key->setting;
}

KeyedLines run_lines(const RunDescription& run, bool at_end) {
    KeyedLines lines;
    for (const RunKey& key : run_keys()) {
        if (const auto text = key.at_end == at_end ? key.text(run) : std::nullopt)
            lines.emplace_back(key.key, *text);
    }
    return lines;
}

} // namespace memtest
