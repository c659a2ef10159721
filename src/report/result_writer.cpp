#include "memtest/report/result_writer.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/report/run_description.hpp"
#include "memtest/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace memtest {
namespace {

std::string size_in_words(const Column& column, const Json& value) {
    const auto number = number_in(value);
    return number ? rounded_size(*number * static_cast<double>(column.unit_bytes)) : "";
}

/// "Latency" of "Latency (ns)".
std::string_view without_unit(std::string_view name) {
    return name.substr(0, name.find(" ("));
}

/// Members as indented lines of an object, without a comma after the last. In a list of objects, each gets a line.
std::string member_lines(const Json& members, std::string_view indent) {
    std::string lines;
    for (const auto& [name, value] : members.items()) {
        const bool in_lines = value.is_array() && !value.empty() && value.front().is_object() && indent.size() == 2;
        const std::string text =
            in_lines ? fmt::format("[\n{0}  {1}\n{0}]", indent, joined(value, fmt::format(",\n{}  ", indent), dumped))
                     : dumped(value);
        lines += fmt::format("{}{}{}: {}", lines.empty() ? "" : ",\n", indent, dumped(name), text);
    }
    return lines;
}

} // namespace

ResultWriter::ResultWriter(OutputFile& output, const Kind& kind, ResultStyle style)
    : output_(output), kind_(kind), style_(std::move(style)) {
    const auto is_asked_for = [&](ColumnGroup group) {
        return group == ColumnGroup::always || std::ranges::find(style_.groups, group) != style_.groups.end();
    };
    for (std::size_t i = 0; i < kind.columns().size(); ++i) {
        Column column = kind.columns()[i];
        if (is_table() && column.unit_bytes != 0)
            column.name = without_unit(column.name);
        if (column.name.empty() || !is_asked_for(column.group))
            continue;
        right_ += column.is_word() ? 'l' : 'r';
        columns_.emplace_back(column, i);
    }
    constexpr std::size_t narrow = 80;
    widths_ = widths_of_columns();
    units_below_ = is_table() && !widths_.empty() &&
                   std::accumulate(widths_.begin(), widths_.end(), 2 * (widths_.size() - 1)) > narrow;
    if (units_below_)
        widths_ = widths_of_columns();
}

/// Those of a table.
std::vector<std::size_t> ResultWriter::widths_of_columns() const {
    constexpr std::size_t of_size = 8;
    const std::size_t of_figure = units_below_ ? 6 : 8;
    std::vector<std::size_t> widths;
    for (const auto& [column, place] : columns_) {
        const std::size_t name = units_below_ ? without_unit(column.name).size() : column.name.size();
        widths.push_back(std::max({name, column.unit_bytes != 0 ? of_size : of_figure, column.longest_word}));
    }
    return widths;
}

void ResultWriter::begin(const std::vector<std::string>& headline, const RunDescription& run) {
    Json opening = Json::object();
    opening["schema"] = schema_version;
    if (kind_.facts.measured && !kind_.facts.verb.empty())
        opening["verb"] = kind_.facts.verb;
    if (is_json()) {
        output_.write(fmt::format("{{\n{}", member_lines(opening, "  ")));
        if (kind_.facts.measured)
            output_.write(fmt::format(",\n  \"run\": {{\n{}\n  }}", member_lines(run_members(run, false), "    ")));
        return output_.write(fmt::format(",\n  \"{}\": [", kind_.facts.rows));
    }
    describe(headline, run);
    if (kind_.facts.measured) {
        opening["run"] = run_members(run, false);
        say_data(opening);
    }
    write_line([&](const Column& column, std::size_t /*place*/) {
        return std::string(units_below_ ? without_unit(column.name) : column.name);
    });
    if (units_below_)
        write_line([](const Column& column, std::size_t /*place*/) {
            return std::string(trimmed(column.name.substr(without_unit(column.name).size())));
        });
}

void ResultWriter::describe(const std::vector<std::string>& headline, const RunDescription& run) {
    const bool all = !is_for_people() || !kind_.facts.measured;
    const auto sentence = [this](const std::string& words) {
        const std::string line = "# " + escaped(words);
        return (is_for_people() ? wrapped(line, terminal_columns(), "#   ") : line) + "\n";
    };
    if (all || headline.size() < 2) {
        say(joined(headline, "", sentence));
        say(run_lines(run, false));
    } else {
        say(sentence(headline.front()) + run_lines(run, false, true) + sentence(headline.back()));
    }
}

void ResultWriter::write_row(const std::vector<Json>& values) {
    if (is_json()) {
        output_.write(fmt::format("{}\n    {}", first_row_ ? "" : ",", dumped(row_members(kind_, values))));
        first_row_ = false;
    } else {
        write_line([&](const Column& column, std::size_t place) {
            const Json value = column.written(values[place]);
            return is_table() && column.unit_bytes != 0 && !value.is_null() ? size_in_words(column, values[place])
                                                                            : text_of(value, column.digits);
        });
    }
}

void ResultWriter::write_line(const std::function<std::string(const Column&, std::size_t place)>& text) {
    std::vector<std::string> cells;
    for (const auto& [column, place] : columns_)
        cells.push_back(text(column, place));
    output_.write(is_table() ? aligned_line(cells, right_, widths_) : joined(cells, ", ", std::identity()) + "\n");
}

void ResultWriter::warn(const Notice& notice) {
    warnings_.push_back(json_of(notice));
    if (is_for_people() && output_.shows_messages())
        return;
    say(keyed_line(warning_key, sentence_of(notice)));
    say_data({{"warnings", Json::array({warnings_.back()})}});
}

void ResultWriter::end(const Findings& findings, const RunDescription& run, const Json& more) {
    Json at_end = Json::object();
    if (kind_.facts.measured) {
        at_end = run_members(run, true);
        at_end["complete"] = run.end && run.end->complete();
    }
    if (is_json())
        return end_json(findings, at_end);
    if (!kind_.facts.findings_first && !is_for_people())
        say(finding_lines(findings));
    if (!is_for_people()) {
        const Json told = finding_members(findings, kind_);
        if (const Json& remarks = member(told, "remarks"); !remarks.empty())
            at_end["remarks"] = remarks;
        for (const auto& [name, list] : more.items())
            say_data_in_parts(name, list);
        if (!at_end.empty())
            say_data(at_end);
    }
    if (!is_for_people() || !run.end || !run.end->complete())
        say(run_lines(run, true, is_for_people()));
}

/// In lines of a length that readers take.
void ResultWriter::say_data_in_parts(const std::string& name, const Json& list) {
    constexpr std::size_t most_in_line = 1000;
    for (std::size_t first = 0; first < list.size(); first += most_in_line) {
        Json part = Json::array();
        for (std::size_t i = first; i < std::min(first + most_in_line, list.size()); ++i)
            part.push_back(list[i]);
        say_data({{name, std::move(part)}});
    }
}

void ResultWriter::end_json(const Findings& findings, const Json& at_end) {
    output_.write("\n  ]");
    if (kind_.facts.measured)
        output_.write(fmt::format(",\n{}", member_lines({{"warnings", warnings_}}, "  ")));
    for (const Json& members : {finding_members(findings, kind_), at_end}) {
        if (!members.empty())
            output_.write(fmt::format(",\n{}", member_lines(members, "  ")));
    }
    output_.write("\n}\n");
}

bool ResultWriter::is_for_people() const {
    return style_.format == Format::table || (style_.format == Format::csv && output_.is_terminal());
}

void ResultWriter::say(std::string_view lines) {
    if (!is_json() && !style_.quiet)
        output_.write(lines);
}

void ResultWriter::say_data(const Json& members) {
    if (!is_for_people())
        say(keyed_line(data_key, dumped(members)));
}

} // namespace memtest
