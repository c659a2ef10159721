#include "memtest/result/result_writer.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/result/json.hpp"
#include "memtest/result/run_description.hpp"
#include "memtest/result/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace memtest {
namespace {

std::string size_in_words(const Column& column, const Value& value) {
    const auto number = value.number();
    return number ? rounded_size(*number * static_cast<double>(column.unit_bytes)) : "";
}

/// "Latency" of "Latency (ns)".
std::string_view without_unit(std::string_view name) {
    return name.substr(0, name.find(" ("));
}

/// Members as indented lines of an object, without a comma after the last. In a list of objects, each gets a line.
std::string member_lines(const Members& members, std::string_view indent) {
    std::string lines;
    for (const auto& [name, value] : members) {
        const bool in_lines = value[0].has_members() && indent.size() == 2;
        const std::string text = in_lines ? fmt::format("[\n{0}  {1}\n{0}]", indent,
                                                        joined(value.list(), fmt::format(",\n{}  ", indent), dumped))
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
    units_below_ = is_table() && width_of_table() > narrow;
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
        const bool is_one_of_several = column.type == Column::Type::word && column.words != nullptr;
        const std::size_t word = is_one_of_several ? std::ranges::max(column.words(), {}, std::ranges::size).size() : 0;
        widths.push_back(std::max({name, column.unit_bytes != 0 ? of_size : of_figure, word}));
    }
    return widths;
}

std::size_t ResultWriter::width_of_table() const {
    return widths_.empty() ? 0 : std::accumulate(widths_.begin(), widths_.end(), 2 * (widths_.size() - 1));
}

void ResultWriter::begin(const std::vector<std::string>& headline, const RunDescription& run) {
    if (is_json()) {
        output_.write(fmt::format("{{\n{}", member_lines(kind_members(), "  ")));
        if (kind_.facts.measured)
            output_.write(fmt::format(",\n  \"run\": {{\n{}\n  }}", member_lines(run_members(run, false), "    ")));
        return output_.write(fmt::format(",\n  \"{}\": [", kind_.facts.rows));
    }
    run_ = run;
    describe(headline);
    if (is_table() && is_for_people() && width_of_table() > terminal_columns())
        say(wrapped(fmt::format("# The table has {} columns: widen the terminal, or write it with -o FILE and read it "
                                "with less -S FILE",
                                width_of_table()),
                    terminal_columns(), "#   ") +
            "\n");
    write_line([&](const Column& column, std::size_t /*place*/) {
        return std::string(units_below_ ? without_unit(column.name) : column.name);
    });
    if (units_below_)
        write_line([](const Column& column, std::size_t /*place*/) {
            return std::string(trimmed(column.name.substr(without_unit(column.name).size())));
        });
}

/// The version of the format, and what the result is of.
Members ResultWriter::kind_members() const {
    Members members{{"schema", schema_version}};
    if (kind_.facts.measured && !kind_.facts.command.empty())
        members.set("command", kind_.facts.command);
    return members;
}

/// The first sentence, what matters of the run, and the last sentences: on a terminal one, in a file as many as make
/// ten lines.
void ResultWriter::describe(const std::vector<std::string>& headline) {
    const auto sentence = [this](const std::string& words) {
        const std::string line = "# " + escaped(words);
        return (is_for_people() ? wrapped(line, terminal_columns(), "#   ") : line) + "\n";
    };
    std::string facts = run_lines(run_);
    if (!is_for_people() && !run_.arguments.value_or(std::vector<std::string>{}).empty()) // who typed them knows them
        facts = keyed_line("arguments", text_of(*run_.arguments)) + facts;
    if (headline.empty())
        return say(facts);
    constexpr std::size_t most_lines = 10;
    const auto taken = static_cast<std::size_t>(std::ranges::count(facts, '\n')) + 1;
    const std::size_t room = is_for_people() || taken >= most_lines ? 1 : most_lines - taken;
    const auto further = std::span(headline).subspan(1);
    say(sentence(headline.front()) + facts + joined(further.last(std::min(room, further.size())), "", sentence));
}

void ResultWriter::write_row(const std::vector<Value>& values) {
    if (is_json()) {
        output_.write(fmt::format("{}\n    {}", first_row_ ? "" : ",", dumped(row_members(kind_, values))));
        first_row_ = false;
    } else {
        write_line([&](const Column& column, std::size_t place) {
            const Value value = column.possible(values[place]);
            return is_table() && column.unit_bytes != 0 ? size_in_words(column, value) : text_of(value, column.digits);
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
    warnings_.push_back(notice);
    if (is_for_people() && !output_.shows_messages())
        say(notice_line("warning", notice, sentence_of(notice)));
}

void ResultWriter::end(const Findings& findings, const RunDescription& run, const Members& more) {
    Members at_end;
    if (kind_.facts.measured) {
        at_end = run_members(run, true);
        at_end.set("complete", run.end && run.end->complete());
    }
    if (is_json())
        return end_json(findings, at_end);
    if (is_for_people()) {
        if (run.end && !run.end->complete())
            say(keyed_line("end", text_of(*run.end)));
        return;
    }
    if (!kind_.facts.findings_first)
        say(finding_lines(findings));
    for (const Notice& warning : warnings_)
        say(notice_line("warning", warning, warning.text));
    say_data(findings, at_end, more);
}

/// What programs judge by: the members of the JSON document except its rows, without sentences and unknown values. Of
/// a result that is not measured, only remarks.
void ResultWriter::say_data(const Findings& findings, const Members& at_end, const Members& more) {
    const std::vector<Notice> remarks = findings.remarks();
    Members data;
    if (kind_.facts.measured) {
        data = kind_members();
        data.set("run", run_members(run_, false));
        data.set(at_end);
    }
    if (!warnings_.empty())
        data.set("warnings", list_of(warnings_, code_and_values));
    if (!remarks.empty())
        data.set("remarks", list_of(remarks, code_and_values));
    data.set(more);
    if (!data.empty())
        say(keyed_line("data", dumped(without_nulls(data))));
}

void ResultWriter::end_json(const Findings& findings, const Members& at_end) {
    output_.write("\n  ]");
    if (kind_.facts.measured)
        output_.write(fmt::format(",\n{}", member_lines({{"warnings", list_of(warnings_, members_of)}}, "  ")));
    for (const Members& members : {finding_members(findings, kind_), at_end}) {
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

} // namespace memtest
