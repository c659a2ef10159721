#include "memtest/result/text_table.hpp"

#include "memtest/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memtest {
namespace {

bool is_right(std::string_view right, std::size_t column) {
    return column < right.size() && right[column] == 'r';
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
    return right ? fmt::format("{:>{}}", cell, width) : fmt::format("{:<{}}", cell, width);
}

/// The widths of its columns. @param least of them
std::vector<std::size_t> widths_of(const TextTable& table, std::size_t least) {
    std::vector<std::size_t> widths;
    for (const auto& row : table.rows) {
        widths.resize(std::max(widths.size(), row.size()), least);
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    return widths;
}

} // namespace

std::string aligned_line(std::span<const std::string> cells, std::string_view right,
                         std::span<const std::size_t> widths) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
        line += (i == 0 ? "" : "  ") + padded(cells[i], widths[i], is_right(right, i));
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

TextTable table_of_numbers(std::vector<std::string> header) {
    const std::string right = "l" + std::string(header.size() - 1, 'r');
    return {.rows = {std::move(header)}, .right = right};
}

void fit_names(TextTable& table, std::size_t columns) {
    const std::vector<std::size_t> widths = widths_of(table, 0);
    std::size_t longest = 0;
    std::size_t width = 0;
    for (const auto& row : table.rows) {
        longest = std::max(longest, row.empty() ? 0 : row.front().size());
        width = std::max(width, aligned_line(row, table.right, widths).size() - 1);
    }
    constexpr std::size_t narrowest = 12; // of less, each word takes a line
    if (width <= columns || longest + columns < width + narrowest)
        return;
    const std::size_t most = longest + columns - width;
    for (std::size_t place = 0; place < table.rows.size(); ++place) {
        if (table.rows[place].empty() || table.rows[place].front().size() <= most)
            continue;
        const std::string lines = wrapped(table.rows[place].front(), most, "  ");
        const std::size_t last = lines.rfind('\n');
        if (last == std::string::npos)
            continue;
        table.rows[place].front() = lines.substr(last + 1);
        for (std::size_t from = 0; from < last; from = lines.find('\n', from) + 1) {
            table.rows.insert(table.rows.begin() + static_cast<std::ptrdiff_t>(place),
                              {lines.substr(from, lines.find('\n', from) - from)});
            ++place;
        }
    }
}

std::string aligned_text(const TextTable& table) {
    const std::vector<std::size_t> widths = widths_of(table, 0);
    std::string text;
    for (const auto& row : table.rows)
        text += aligned_line(row, table.right, widths);
    return text;
}

std::string markdown_table(const TextTable& table) {
    if (table.rows.size() < 2)
        return "";
    constexpr std::size_t of_rule = 3;
    const std::vector<std::size_t> widths = widths_of(table, of_rule);
    std::string text;
    for (std::size_t place = 0; place < table.rows.size(); ++place) {
        std::string rule;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const bool right = is_right(table.right, i);
            text += (i == 0 ? "| " : " | ") + padded(table.rows[place][i], widths[i], right);
            rule += (i == 0 ? "| " : " | ") + std::string(widths[i] - 1, '-') + (right ? ':' : '-');
        }
        text += " |\n" + (place == 0 ? rule + " |\n" : "");
    }
    return text;
}

} // namespace memtest
