// Whatever a file holds, it is read as a result of sound figures that commands can use, or refused as a usage error.

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/insight/translation_cost.hpp"
#include "memtest/kinds/comparison.hpp"
#include "memtest/kinds/comparison_findings.hpp"
#include "memtest/kinds/comparison_screen.hpp"
#include "memtest/kinds/figures.hpp"
#include "memtest/kinds/levels.hpp"
#include "memtest/kinds/prefetch.hpp"
#include "memtest/kinds/sweep.hpp"
#include "memtest/kinds/sweep_curves.hpp"
#include "memtest/kinds/tlb.hpp"
#include "memtest/kinds/translation.hpp"
#include "memtest/result/result_reader.hpp"
#include "memtest/show/curve_plot.hpp"
#include "memtest/show/page.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace memtest {
namespace {

/// @param refusable what may refuse as a usage error
void attempt(const std::function<void()>& refusable) {
    try {
        refusable();
    } catch (const Error& error) {
        require(error.status() == ExitStatus::usage, "a file that cannot be used is a usage error");
        require(escaped(error.what()) == error.what(), "a message is one visible line");
    }
}

/// That each value of a row is in its column's range.
template<class RowType>
void check_rows(const std::vector<RowType>& rows, const Kind& of_result) {
    const auto& kind = dynamic_cast<const KindOf<RowType>&>(of_result);
    for (const RowType& row : rows) {
        const std::vector<Value> values = kind.values(row);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Column& column = kind.columns()[i];
            const auto number = column.is_number() ? values[i].number() : std::nullopt;
            require(!number || column.holds(*number) || column.name.empty(), "a figure is in its range");
            require(!values[i].is_null() || !column.needed, "what is needed is known");
        }
    }
}

void check(const Result& result) {
    require(result.row_count() > 0, "a result has rows");
    std::visit([&](const auto& rows) { check_rows(rows, *result.kind); }, result.rows);
    for (const auto& notices : {result.warnings, result.remarks}) {
        for (const Notice& notice : notices)
            static_cast<void>(members_of(notice));
    }
    static_cast<void>(text_of(answer_of(result), 80));
    static_cast<void>(why_incomplete(result));
}

void draw(const std::vector<Result>& results, const std::vector<std::string>& labels, const PlotStyle& style = {}) {
    const Kind& kind = *results.front().kind;
    if (kind.facts.plot == nullptr)
        return;
    attempt([&] {
        const Plot plot = kind.facts.plot(results, labels, style);
        static_cast<void>(image_program(plot, Image::svg));
        if (const auto* curves = std::get_if<SizePlot>(&plot))
            static_cast<void>(text_program(*curves, {}));
    });
}

// What each command makes of the file; of two, the other holds half of its rows.

void tell_levels(const Result& sweep) {
    const auto reports = report_levels(sweep);
    for (const LevelReport& report : reports)
        static_cast<void>(level_rows(report));
    static_cast<void>(level_findings(reports, false));
}

void tell(const Comparison& comparison) {
    static_cast<void>(comparison_table(comparison, true));
    for (const FigureChange& figure : comparison.figures)
        static_cast<void>(row_members(compare_kind, compare_kind.values(figure)));
    static_cast<void>(comparison_findings(comparison));
}

StoredFile file_of(const Result& result) {
    StoredFile file{.name = "file"};
    file.results.push_back(result);
    return file;
}

void compare(const Result& one, const Result& other) {
    const std::vector<StoredFile> bases{file_of(one), file_of(one)};
    const std::vector<Stated> stated(bases.begin(), bases.end());
    for (const Figure& figure : figures_in(stated.front(), frame_of(stated))) {
        require(figure.value > 0 && std::isfinite(figure.value), "a figure is a number above 0");
        require(figure.noise >= 0 && std::isfinite(figure.noise), "its noise is a number");
    }
    tell(compare(bases, file_of(other), 5));
}

void tell_translation(const Result& one, const Result& other) {
    const auto costs = translation_costs(latency_curve_of(one), latency_curve_of(other));
    static_cast<void>(translation_findings(costs, true));
}

/// On a page of its own, in these places.
void report(const Result& result, const std::vector<std::string>& parts) {
    StoredFile file{.is_report = true};
    for (const std::string& part : parts) {
        file.results.push_back(result);
        file.results.back().part = part;
    }
    attempt([&] { static_cast<void>(report_page(page_of(file, {}))); });
    attempt([&] { static_cast<void>(report_html(page_of(file, {}))); });
}

void read_on(const Result& result) {
    attempt([&] { compare(result, result); });
    draw({result}, {"one"});
    if (const auto& parts = result.kind->facts.parts; result.kind != &sweep_kind && !parts.empty())
        report(result, {std::string(parts.front().name)});
    if (result.kind == &sweep_kind) {
        Result half = result;
        std::get<std::vector<Row>>(half.rows).resize((half.row_count() + 1) / 2);
        attempt([&] { tell_levels(result); });
        attempt([&] { compare(result, half); });
        attempt([&] { compare(half, result); });
        attempt([&] { tell_translation(result, half); });
        draw({result}, {"one"}, {.levels = true});
        draw({result}, {"one"}, {.cycles = true});
        draw({result, half}, {"one", "other"}, {.ratio = true});
        report(result, {"sweep"});
        report(result, {"sweep", "huge", "parallel1", "parallel2"});
    } else if (result.kind == &tlb_kind) {
        attempt([&] { static_cast<void>(tlb_findings(read_tlb(result))); });
    } else if (result.kind == &prefetch_kind) {
        static_cast<void>(prefetch_findings(prefetchers_in(result)));
    }
}

/// Its page, and the plots on that.
void show(const StoredFile& report) {
    attempt([&] { static_cast<void>(report_page(page_of(report, {}))); });
    for (const std::string& name : plots_of(report))
        attempt([&] {
            if (const auto plot = plot_of(report, {}, name))
                static_cast<void>(image_program(*plot, Image::svg));
        });
}

} // namespace
} // namespace memtest

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(data, data + size);
    memtest::attempt([&] {
        for (const memtest::Result& result :
             std::vector(memtest::parse_file(text, "table", memtest::table_columns_in("-,KiB,ns")).results))
            memtest::check(result);
    });
    memtest::attempt([&] {
        const memtest::StoredFile file = memtest::parse_file(text, "fuzz.csv");
        for (const memtest::Result& result : file.results) {
            memtest::check(result);
            memtest::read_on(result);
        }
        if (file.is_report)
            memtest::show(file);
    });
    return 0;
}
