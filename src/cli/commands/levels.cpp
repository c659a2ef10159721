#include "memtest/kinds/levels.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/kinds/report.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/translation.hpp"
#include "memtest/result/notice.hpp"
#include "memtest/result/result_reader.hpp"
#include "memtest/result/result_writer.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

namespace memtest {
namespace {

const auto levels_options = std::to_array({
    format_option("table on a terminal, else csv"),
    part_option(),
    columns_option(),
});

/// Of a report without a choice, the sweep in the pages of the TLBs; without these the one whose levels its page shows.
Result read_sweep(const std::string& path, const ReadingOptions& options, const std::optional<Result>& tlb) {
    StoredFile file = read_file(path, options.columns);
    const Result* small = tlb && file.is_report && !options.part ? find_part(file.results, "sweep") : nullptr;
    if (small != nullptr && have_same_pages(*small, *tlb))
        return *small;
    return chosen_or_sweep(std::move(file), &sweep_kind, options.part);
}

ExitStatus run_levels(const CommandLine& line) {
    const ReadingOptions options = with_options(ReadingOptions(), levels_options, line);
    const auto& files = line.operands;
    if (files.empty() || files.size() > 2)
        throw usage_error(fmt::format("levels takes a sweep, or a sweep and the output of 'memtest tlb', not {} "
                                      "files; see 'memtest levels --help'",
                                      files.size()));
    check_standard_input(files);
    const auto tlb =
        files.size() == 2 ? std::optional(chosen_result(read_file(files.back()), &tlb_kind)) : std::nullopt;
    Result sweep = read_sweep(files.front(), options, tlb);
    if (!sweep.run.order)
        sweep.warnings.emplace_back(Code::order_not_told);
    OutputFile output(std::nullopt);
    const Format format = options.format.value_or(output.is_terminal() ? Format::table : Format::csv);
    const bool for_people = format == Format::table;
    if (for_people)
        warn_of_missing_rows(sweep); // the answer says the rest
    else
        warn_of(sweep);
    bool is_off = false;
    if (tlb) {
        check_same_machine(sweep, *tlb);
        warn_of(*tlb);
        const std::size_t warned = sweep.warnings.size();
        is_off = subtract_translation(sweep, *tlb);
        for (const Notice& warning : std::span(sweep.warnings).subspan(for_people ? sweep.warnings.size() : warned))
            warn(fmt::format("{}: {}", sweep.name, sentence_of(warning)));
    }
    if (for_people) {
        Answer answer = answer_of_levels(sweep, is_off);
        add_warnings(answer, sweep.warnings);
        if (sweep.run.order && !answer.table.rows.empty())
            answer.title = fmt::format("In {} order and {}{}:", word_of(*sweep.run.order), pages_in_words(sweep.run),
                                       is_off ? ", less what translation adds" : "");
        output.write(text_of(answer, terminal_columns()));
        return ExitStatus::success;
    }
    write_levels(output, report_levels(sweep, is_off), format);
    return ExitStatus::success;
}

} // namespace

const Command levels_command{.name = "levels",
                             .operands = "FILE [TLB]",
                             .summary = "infer cache levels from a stored sweep",
                             .examples = {{{"memtest levels sweep.csv", "capacity and latency of each level"},
                                           {"memtest levels sweep.csv tlb.csv", "without the cost of translation"}}},
                             .about =
                                 "Infers the cache levels from the curve of a stored sweep ('-' is standard\n"
                                 "input). Given the output of 'memtest tlb' as well, it first subtracts the cost\n"
                                 "of address translation, so that no TLB looks like a cache. Both may be parts of\n"
                                 "a report.\n",
                             .options = [] { return texts_of(levels_options); },
                             .run = run_levels};

} // namespace memtest
