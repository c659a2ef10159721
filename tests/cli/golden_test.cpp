// The wording of every command: tests/data/golden has a file for each. A line after "$ " is a step, and what follows it
// is what the program says, with empty lines around it if it is long. No step measures, or looks at this machine.
#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/result/code_entry.hpp"
#include "memtest/result/description.hpp"
#include "memtest/result/notice.hpp"
#include "memtest/show/curve_plot.hpp"
#include "memtest/show/page.hpp"
#include "support/described_run.hpp"
#include "support/fake_system.hpp"
#include "support/measuring_commands.hpp"
#include "support/program.hpp"
#include "support/results.hpp"
#include "support/test.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>
#include <stdexcept>
#include <variant>

namespace memtest {
namespace {

using Words = std::vector<std::string>;

const std::string golden_folder = TEST_DATA "/golden/";

std::string golden_name(std::string_view command) {
    return command.empty() ? "sweep" : std::string(command);
}

/// A heading ("== ...") or a step ("$ ..."), and the lines below it.
struct Step {
    std::string line;
    std::string said{};
};

std::vector<Step> steps_of(std::string_view command) {
    std::istringstream in(read_text(golden_folder + golden_name(command) + ".txt"));
    std::vector<Step> steps;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("== ") || line.starts_with("$ "))
            steps.push_back({line});
        else if (!steps.empty())
            steps.back().said += line + "\n";
    }
    for (Step& step : steps) // less an empty line that separates it from the next
        step.said.resize(step.said.size() - (step.said.ends_with("\n\n") || step.said == "\n" ? 1 : 0));
    return steps;
}

/// The words of a step, which single quotes hold together.
Words words_in(const std::string& line) {
    std::istringstream in(line);
    Words words;
    for (std::string word; in >> std::quoted(word, '\'', '\0');)
        words.push_back(word);
    return words;
}

/// A machine as a step describes it: PROCESSORS=4 on two cores, unless given otherwise.
class DescribedMachine {
public:
    explicit DescribedMachine(std::map<std::string, std::string> given) : given_(std::move(given)) {
        machine.files = system_.files();
        std::vector<int> ids;
        const auto processors = static_cast<int>(number("PROCESSORS", 4));
        const auto cores = static_cast<int>(number("CORES", 2));
        for (int id = 0; id < processors; ++id) {
            system_.add_processor(id, 0, id % cores, fmt::format("0-{}", processors - 1));
            ids.push_back(id);
        }
        machine.allowed = read_processors(machine.files, ids);
        machine.available_bytes = number("MEMORY_MIB", 8192) * mib;
        for (int node = 0; node < static_cast<int>(number("NODES", 1)); ++node)
            machine.numa_nodes.push_back({node, number("NODE_MIB", number("MEMORY_MIB", 8192)) * mib});
        machine.has_forbidden_numa_nodes = number("FORBIDDEN_NODES", 0) > 0;
        machine.clock = {.cost_ns = 25, .resolution_ns = static_cast<double>(number("CLOCK_US", 1)) * 1000};
        if (number("PINNING", 1) == 0)
            machine.pinning_refused = "Operation not permitted";
        machine.transparent_policy = number("TRANSPARENT", 1) > 0 ? "madvise" : "never";
        system_.add("/sys/kernel/mm/transparent_hugepage/enabled",
                    number("TRANSPARENT", 1) > 0 ? "always [madvise] never\n" : "always madvise [never]\n");
        if (given_.contains("HUGE_PAGES")) {
            for (const std::string place : {"/sys/kernel/mm", "/sys/devices/system/node/node0"}) {
                for (const std::string file : {"nr_hugepages", "free_hugepages"})
                    system_.add(place + "/hugepages/hugepages-2048kB/" + file, given_.at("HUGE_PAGES") + "\n");
            }
        }
    }

    [[nodiscard]] std::uint64_t number(const std::string& name, std::uint64_t usual) const {
        const auto found = given_.find(name);
        return found == given_.end() ? usual : std::stoul(found->second);
    }

    Machine machine;

private:
    std::map<std::string, std::string> given_;
    FakeSystem system_;
};

const DescribedMachine& usual_machine() {
    static const DescribedMachine usual({});
    return usual;
}

/// Plans what a command would measure; throws what it refuses. @return whether it measures
bool plans(const Command& command, const CommandLine& line, const DescribedMachine& on) {
    for (const MeasuringCommand& measuring : measuring_commands()) {
        if (measuring.command.name != command.name || line.given("help") != nullptr || line.given("from") != nullptr)
            continue;
        measuring.plan(line, on.machine, on.number("FLUSHES", 1) > 0);
        return true;
    }
    return false;
}

/// What `memtest` says, then its exit status in brackets unless that is 0, in the line if there is only one. @param
/// given about the machine
std::string said_by_program(const Words& arguments, const std::map<std::string, std::string>& given) {
    std::optional<DescribedMachine> other;
    if (!given.empty())
        other.emplace(given);
    const auto named = std::ranges::find_if(commands(), [&](const Command& command) {
        return arguments.empty() || arguments.front().starts_with('-') ? command.name.empty()
                                                                       : command.name == arguments.front();
    });
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    ExitStatus status = ExitStatus::success;
    try {
        const Words words(arguments.begin() + (named == commands().end() || named->name.empty() ? 0 : 1),
                          arguments.end());
        const bool measures =
            named != commands().end() && plans(*named, line_for(*named, words), other ? *other : usual_machine());
        EXPECT_FALSE(measures) << testing::PrintToString(arguments) << " is not refused";
        if (!measures)
            status = run_command_line(arguments);
    } catch (const Error& error) {
        print_error(error.what());
        status = error.status();
    }
    std::string said = testing::internal::GetCapturedStdout();
    said += testing::internal::GetCapturedStderr();
    if (status == ExitStatus::success)
        return said;
    const bool is_one_line = said.find('\n') + 1 == said.size();
    return fmt::format("{}{}[{}]\n", said.substr(0, said.size() - (is_one_line ? 1 : 0)), is_one_line ? " " : "",
                       static_cast<int>(status));
}

/// A sweep from 8 KiB over an L1 of 32 KiB, an L2 of 1 MiB and memory up to some size, the L2 and memory slower by
/// these factors.
/// @param lines before the rows
void write_sweep(const std::string& file, double l2, double memory, double most_kib, const Words& lines) {
    std::ofstream out(file);
    for (const std::string& line : lines)
        out << line << "\n";
    out << "Thread, Mem size (MiB), Access latency (ns)\n";
    for (double size_kib = 8; size_kib <= most_kib; size_kib *= 2)
        out << fmt::format("0, {:.5f}, {:.3f}\n", size_kib / 1024,
                           size_kib <= 32     ? 1
                           : size_kib <= 1024 ? 4 * l2
                                              : 80 * memory);
}

/// What is known of a kind of result, a line for each column and for each other member of the document.
std::string columns_of(const std::string& command) {
    constexpr std::array<std::string_view, 6> groups{"always", "cycles", "stats", "threads", "writes", "bandwidth"};
    const Kind& kind =
        **std::ranges::find(all_kinds(), command, [](const Kind* known) { return known->facts.command; });
    constexpr std::array<std::string_view, 5> types{"count", "figure", "word", "words", "detail"};
    std::string text;
    for (const Column& column : kind.columns()) {
        text += fmt::format(
            "{}: {}, {}, digits {}{}{}, {}{}{}: {}\n", column.name.empty() ? "no column" : column.name,
            groups.at(static_cast<std::size_t>(column.group)), types.at(static_cast<std::size_t>(column.type)),
            column.digits.significant ? "" : ".", column.digits.count,
            column.unit_bytes == 0 ? "" : fmt::format(", unit {} B", column.unit_bytes),
            column.member.empty() ? "no member" : column.member, column.needed ? ", needed" : "",
            column.is_number() ? fmt::format(", {:g} to {:g}", column.lowest, column.highest) : "", column.meaning);
    }
    for (const FindingMember& member : kind.facts.findings)
        text += fmt::format("{}: {}\n", member.name, member.is_list ? "list" : "value");
    return text;
}

/// What is known of each key of a run.
std::string keys() {
    constexpr std::array<std::string_view, 5> sorts{"fact", "setting", "machine", "system", "at the end"};
    std::string text;
    for (const RunKey& key : run_keys())
        text += fmt::format("{} ({}): {}{}{}\n", key.key, key.member, sorts.at(static_cast<std::size_t>(key.is)),
                            key.for_people ? ", for people" : "",
                            key.unsaid.empty() ? "" : fmt::format(", unsaid {}", key.unsaid));
    return text;
}

/// The notice of a code and values in JSON.
Notice made_of(const std::string& members) {
    const Notice stored = notice_in(json(members));
    return {stored.code, stored.values};
}

/// Steps besides `memtest`.
std::string said_by_step(const std::string& step, const std::string& rest) {
    const Words words = words_in(rest);
    if (step == "sweep") { // FILE FACTOR_L2 FACTOR_MEMORY MOST_KIB [LINE...]
        write_sweep(words.at(0), std::stod(words.at(1)), std::stod(words.at(2)), std::stod(words.at(3)),
                    {words.begin() + 4, words.end()});
        return "";
    }
    if (step == "file") { // FILE [LINE...]
        std::ofstream out(words.at(0));
        for (std::size_t i = 1; i < words.size(); ++i)
            out << words[i] << (i + 1 < words.size() ? "\n" : "");
        return "";
    }
    if (step == "report") { // FILE [PART=FILE...]
        std::vector<std::pair<std::string, std::string>> parts;
        for (const std::string& word : Words(words.begin() + 1, words.end()))
            parts.emplace_back(word.substr(0, word.find('=')), read_text(word.substr(word.find('=') + 1)));
        std::ofstream(words.at(0)) << report_json(parts);
        return "";
    }
    if (step == "notice") { // JSON
        const Notice notice = made_of(rest);
        EXPECT_NE(notice.code, Code::unknown) << rest;
        EXPECT_NE(sentence_of(notice), word_of(notice.code)) << "a value is missing: " << rest;
        return sentence_of(notice) + "\n";
    }
    if (step == "columns") // of a COMMAND
        return columns_of(rest);
    if (step == "keys")
        return keys();
    if (step == "answer") // FILE
        return text_of(answer_with_warnings(chosen_result(read_file(rest))), 80);

    if (step == "characters") { // COLUMNS LINES FILE...: what is drawn of sweeps, or of tails, on a terminal
        const TextArea area{.columns = std::stoul(words.at(0)), .lines = std::stoul(words.at(1))};
        const Words files(words.begin() + 2, words.end());
        std::vector<Result> results;
        for (const std::string& file : files)
            results.push_back(chosen_result(read_file(file)));
        const auto plot = std::get<SizePlot>(results.front().kind->facts.plot(results, files, {.levels = true}));
        return text_program(plot, area) +
               joined(text_legend(plot, area.columns), "", [](const std::string& line) { return line + "\n"; });
    }
    if (step == "headline") { // ARGUMENTS of a sweep
        const Machine& machine = usual_machine().machine;
        RunDescription run =
            describe_run(plan_run(options_of_sweep(line_for(sweep_command, words)), machine), machine, {ThreadFacts{}});
        run.version = "1.2.3";
        std::string lines;
        for (const std::string& sentence : sweep_headline(run))
            lines += sentence + "\n";
        return lines;
    }
    if (step == "description")
        return written(sweep_kind, {}, [](ResultWriter& writer) { writer.begin({}, described_run()); });
    if (step == "partial") { // FILE, or '' where it is lost
        testing::internal::CaptureStderr();
        warn_of_partial(words.at(0));
        return testing::internal::GetCapturedStderr();
    }
    if (step == "page")
        return report_page(page_of(stored_parts(), {}));
    throw std::runtime_error("no such step: " + step);
}

/// What a step of a golden file without a pipe says now.
std::string said_in_full(const std::string& line) {
    std::map<std::string, std::string> machine;
    Words words = words_in(line);
    while (!words.empty() && words.front().find('=') != std::string::npos) {
        const std::size_t equals = words.front().find('=');
        machine[words.front().substr(0, equals)] = words.front().substr(equals + 1);
        words.erase(words.begin());
    }
    if (words.empty() || words.front() != "memtest")
        return said_by_step(line.substr(0, line.find(' ')), line.substr(std::min(line.find(' '), line.size() - 1) + 1));
    return said_by_program({words.begin() + 1, words.end()}, machine);
}

/// What a step of a golden file says now; of "STEP | grep REGEX" the lines that match.
std::string said_now(const std::string& line) {
    const std::string pipe = " | grep ";
    const std::size_t end = line.find(pipe);
    const std::string said = said_in_full(line.substr(0, end));
    if (end == std::string::npos)
        return said;
    const std::string wanted = line.substr(end + pipe.size());
    return joined(lines_of(said), "",
                  [&](const std::string& each) { return found(each, wanted).empty() ? std::string() : each + "\n"; });
}

/// A folder for the files of the steps, with the stored results.
class Golden : public testing::TestWithParam<std::string_view> {
protected:
    Golden() {
        std::filesystem::create_directory_symlink(TEST_DATA "/stored", folder_.root() / "stored");
        std::filesystem::current_path(folder_.root());
    }
    ~Golden() override { std::filesystem::current_path(before_); }

private:
    std::filesystem::path before_ = std::filesystem::current_path();
    FakeSystem folder_;
};

TEST_P(Golden, FileHasTheWordingOfTheCommand) {
    const char* const update = std::getenv("MEMTEST_UPDATE_GOLDEN");
    const std::vector<Step> steps = steps_of(GetParam());
    ASSERT_FALSE(steps.empty());
    std::string file;
    bool differs = false;
    bool is_separated = true;
    for (const Step& step : steps) {
        const bool is_heading = step.line.starts_with("== ");
        const std::string said = is_heading ? "" : said_now(step.line.substr(2));
        const bool is_long = std::ranges::count(said, '\n') > 1;
        file +=
            (is_separated || !(is_heading || is_long) ? "" : "\n") + step.line + "\n" + said + (is_long ? "\n" : "");
        is_separated = is_heading || is_long;
        differs = differs || said != step.said;
        if (update == nullptr) {
            EXPECT_EQ(step.said, said) << step.line;
        }
    }
    if (update != nullptr && !HasFailure())
        std::ofstream(golden_folder + golden_name(GetParam()) + ".txt")
            << file.substr(0, file.size() - (is_separated ? 1 : 0));
    else if (update == nullptr && differs)
        ADD_FAILURE() << "If the new wording is right: MEMTEST_UPDATE_GOLDEN=1 build/tests/tests/memtest_tests "
                         "--gtest_filter='*Golden*'";
}

std::vector<std::string_view> all_command_names() {
    std::vector<std::string_view> names;
    for (const Command& command : commands())
        names.push_back(command.name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Commands, Golden, testing::ValuesIn(all_command_names()),
                         [](const auto& parameter) { return golden_name(parameter.param); });

TEST(GoldenFiles, AreThoseOfTheCommands) {
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(golden_folder))
        files.insert(entry.path().filename().string());
    EXPECT_EQ(files.size(), commands().size());
    for (const Command& command : commands())
        EXPECT_TRUE(files.contains(golden_name(command.name) + ".txt"));
}

TEST(GoldenFiles, HaveASentenceOfEachCodeFromTheValuesThatItLists) {
    std::set<std::string_view> had;
    for (const Command& command : commands()) {
        for (const Step& step : steps_of(command.name)) {
            constexpr std::string_view start = "$ notice ";
            if (!step.line.starts_with(start))
                continue;
            const Notice notice = made_of(step.line.substr(start.size()));
            had.insert(word_of(notice.code));
            EXPECT_FALSE(notice.values.contains("text")) << step.line;
        }
    }
    for (const CodeEntry& entry : code_entries())
        EXPECT_TRUE(had.contains(entry.word) || entry.word == word_of(Code::unknown))
            << "no golden file has a notice of the code " << entry.word;
}

TEST(GoldenFiles, RefuseABadValueOfEachOptionThatHasOne) {
    const std::set<std::string_view> any{"title", "label"};
    for (const Command& command : commands()) {
        std::string refusals;
        for (const Step& step : steps_of(command.name))
            refusals += step.said.find("[2]\n") == std::string::npos ? "" : step.said;
        for (const OptionText& option : command.options()) {
            EXPECT_TRUE(option.argument.empty() || any.contains(option.name) ||
                        refusals.find(fmt::format("memtest: --{}", option.name)) != std::string::npos)
                << command.name << ": --" << option.name;
        }
    }
}

} // namespace
} // namespace memtest
