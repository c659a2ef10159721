#include "memtest/report/result_writer.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/report/run_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memtest {
namespace {

/// What the file has of a cell: nothing for a number out of bounds, and the column's digits for a figure.
Value written(const Column& column, const Value& cell) {
    if (column.type == Column::Type::word || column.type == Column::Type::words)
        return cell;
    const auto number = cell.number();
    if (!number || !column.holds(*number))
        return {};
    return column.type == Column::Type::count ? cell : Value(*number, column.digits);
}

std::string size_in_words(const Column& column, const Value& cell) {
    const auto number = cell.number();
    return number ? rounded_size(*number * static_cast<double>(column.unit_bytes)) : "";
}

/// A text of a table, in the width of its column: words to the left, numbers to the right.
std::string aligned(const Column& column, std::string_view text) {
    constexpr std::size_t least = 8; // of a size
    const std::size_t width = std::max(column.name.size(), least);
    const bool is_word = column.type == Column::Type::word || column.type == Column::Type::words;
    return is_word ? fmt::format("{:<{}}", text, width) : fmt::format("{:>{}}", text, width);
}

/// The members that findings give a document, each of the kind's once.
Value::Members members_of(const Findings& findings, const Kind& kind) {
    Value::Members members;
    for (const auto& [name, is_list] : kind.findings) {
        Value single;
        Value::List joined;
        for (const Finding& finding : findings.list) {
            for (const Member& told : finding.members) {
                if (told.name != name)
                    continue;
                single = told.value;
                if (const auto* list = told.value.as<Value::List>(); is_list && list != nullptr)
                    joined.insert(joined.end(), list->begin(), list->end());
            }
        }
        const Value list = findings.told ? Value(std::move(joined)) : Value();
        members.push_back({std::string(name), is_list ? list : single});
    }
    return members;
}

} // namespace

Value::Members row_members(const Kind& kind, const ResultRow& row) {
    Value::Members members;
    for (std::size_t i = 0; i < kind.columns.size(); ++i) {
        if (!kind.columns[i].member.empty())
            members.push_back({std::string(kind.columns[i].member), written(kind.columns[i], row[i])});
    }
    members.insert(members.end(), row.more.begin(), row.more.end());
    return members;
}

ResultWriter::ResultWriter(OutputFile& output, const Kind& kind, ResultStyle style)
    : output_(output), kind_(kind), style_(std::move(style)) {
    const auto is_asked_for = [&](ColumnGroup group) {
        return group == ColumnGroup::always || std::ranges::find(style_.groups, group) != style_.groups.end();
    };
    for (std::size_t i = 0; i < kind.columns.size(); ++i) {
        if (!kind.columns[i].name.empty() && is_asked_for(kind.columns[i].group))
            columns_.emplace_back(kind.columns[i], i);
    }
    for (std::size_t i = 0; i < style_.more.size(); ++i)
        columns_.emplace_back(style_.more[i], kind.columns.size() + i);
    for (auto& [column, place] : columns_) {
        if (is_table() && column.unit_bytes != 0)
            column.name = column.name.substr(0, column.name.find(" ("));
    }
}

void ResultWriter::begin(const std::vector<std::string>& headline, const RunDescription& run) {
    if (is_json()) {
        output_.write(fmt::format("{{\n  \"schema\": {}", schema_version));
        if (kind_.measured && !kind_.verb.empty())
            output_.write(fmt::format(",\n  \"verb\": {}", json_string(kind_.verb)));
        if (kind_.measured)
            output_.write(fmt::format(",\n  \"run\": {{\n{}\n  }}", member_lines(run_members(run, false), "    ")));
        return output_.write(fmt::format(",\n  {}: [", json_string(kind_.rows)));
    }
    describe(headline, run);
    write_line([](const Column& column, std::size_t /*place*/) { return std::string(column.name); });
}

void ResultWriter::describe(const std::vector<std::string>& headline, const RunDescription& run) {
    const bool all = !is_for_people() || !kind_.measured;
    const auto sentence = [](const std::string& words) { return fmt::format("# {}\n", words); };
    if (all || headline.size() < 2) {
        say(joined(headline, "", sentence));
        say(run_lines(run, false));
    } else {
        say(sentence(headline.front()) + run_lines(run, false, true) + sentence(headline.back()));
    }
}

void ResultWriter::row(const ResultRow& row) {
    if (is_json()) {
        output_.write(fmt::format("{}\n    {}", first_row_ ? "" : ",", Value(row_members(kind_, row)).json()));
        first_row_ = false;
    } else {
        write_line([&](const Column& column, std::size_t place) {
            const Value cell = written(column, row[place]);
            return is_table() && column.unit_bytes != 0 ? size_in_words(column, cell) : cell.text();
        });
    }
}

void ResultWriter::write_line(const std::function<std::string(const Column&, std::size_t place)>& text) {
    std::string line = joined(columns_, is_table() ? "  " : ", ", [&](const auto& column) {
        const std::string cell = text(column.first, column.second);
        return is_table() ? aligned(column.first, cell) : cell;
    });
    if (is_table())
        line.erase(line.find_last_not_of(' ') + 1);
    output_.write(line + "\n");
}

void ResultWriter::warn(const std::string& sentence) {
    warnings_.emplace_back(sentence);
    if (!is_for_people() || !output_.shows_messages())
        say(keyed_line(warning_key, sentence));
}

void ResultWriter::end(const Findings& findings, const RunDescription& run) {
    if (is_json()) {
        output_.write("\n  ]");
        if (kind_.measured)
            output_.write(fmt::format(",\n  \"warnings\": {}", Value(warnings_).json()));
        const auto told = members_of(findings, kind_);
        if (!told.empty())
            output_.write(fmt::format(",\n{}", member_lines(told, "  ", true)));
        if (kind_.measured) {
            Value::Members members = run_members(run, true);
            members.push_back({"complete", run.end && run.end->complete()});
            output_.write(fmt::format(",\n{}", member_lines(members, "  ")));
        }
        return output_.write("\n}\n");
    }
    if (!kind_.findings_first)
        say(finding_lines(findings));
    if (!is_for_people() || !run.end || !run.end->complete())
        say(run_lines(run, true, is_for_people()));
}

bool ResultWriter::is_for_people() const {
    return style_.format == Format::table || (style_.format == Format::csv && output_.is_terminal());
}

void ResultWriter::say(std::string_view lines) {
    if (!is_json() && !style_.quiet)
        output_.write(lines);
}

void write_whole(OutputFile& output, const Kind& kind, const std::vector<ResultRow>& rows, const Findings& findings,
                 ResultStyle style) {
    ResultWriter writer(output, kind, std::move(style));
    std::vector<std::string> headline;
    if (kind.findings_first) {
        for (const Finding& finding : findings.list)
            headline.push_back(fmt::format("{}: {}", finding.key, finding.sentence));
    }
    writer.begin(headline);
    for (const ResultRow& row : rows)
        writer.row(row);
    writer.end(findings);
}

std::string finding_lines(const Findings& findings) {
    std::string lines;
    for (const Finding& finding : findings.list) {
        if (!finding.key.empty())
            lines += keyed_line(finding.key, finding.sentence);
    }
    return lines;
}

} // namespace memtest
