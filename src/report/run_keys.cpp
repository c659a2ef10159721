#include "memtest/report/run_keys.hpp"

#include "memtest/base/text.hpp"
#include "memtest/report/json_text.hpp"
#include "memtest/report/run_forms.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace memtest {
namespace {

using namespace forms;

template<class Form, class Value>
bool values_differ(const Value& a, const Value& b) {
    if constexpr (requires { Form::differ(a, b); })
        return Form::differ(a, b);
    else
        return a != b;
}

enum class Kind { fact, setting, at_end };

/// A key for one field of the description, written and read as the Form says.
template<auto field, class Form>
constexpr RunKey key(std::string_view name, std::string_view json_name, Kind kind, std::string_view meaning,
                     std::string_view unsaid = {}) {
    RunKey made{.key = name,
                .member = json_name,
                .meaning = meaning,
                .at_end = kind == Kind::at_end,
                .setting = kind == Kind::setting,
                .unsaid = unsaid};
    made.text = [](const RunDescription& run) -> std::optional<std::string> {
        const auto& value = run.*field;
        return value ? std::optional(Form::text(*value)) : std::nullopt;
    };
    made.json = [](const RunDescription& run) {
        const auto& value = run.*field;
        return value ? nlohmann::ordered_json(Form::json(*value)) : nlohmann::ordered_json();
    };
    made.differ = [](const RunDescription& a, const RunDescription& b) {
        const auto& one = a.*field;
        const auto& other = b.*field;
        return one && other ? values_differ<Form>(*one, *other) : one.has_value() != other.has_value();
    };
    if constexpr (requires { &Form::parse; }) {
        made.read_text = [](RunDescription& run, std::string_view text) {
            auto value = Form::parse(text);
            if (value && !(run.*field)) // the first counts
                run.*field = std::move(*value);
            return value.has_value();
        };
        made.read_json = [](RunDescription& run, const nlohmann::ordered_json& json) {
            auto value = Form::read(json);
            if (value)
                run.*field = std::move(*value);
            return value.has_value();
        };
    }
    return made;
}

using Run = RunDescription;

constexpr std::array table{
    key<&Run::version, Text>("version", "version", Kind::fact, "of the program"),
    key<&Run::start, Text>("start", "start", Kind::fact, "when the run began, in universal time"),
    key<&Run::arguments, Arguments>("arguments", "arguments", Kind::fact, "the command line, without the program"),
    key<&Run::order, OneWord<Order>>("order", "order", Kind::setting, "in which the lines are visited"),
    key<&Run::link, OneWord<Link>>("link", "link", Kind::setting, "what a node holds of the next"),
    key<&Run::line_bytes, Count>("line", "line_bytes", Kind::setting, "size of a line in bytes"),
    key<&Run::stride_bytes, Count>("stride", "stride_bytes", Kind::setting, "in bytes; not with the random order"),
    key<&Run::tlb_locality_bytes, Count>("tlb locality", "tlb_locality_bytes", Kind::setting,
                                         "size in bytes of the blocks that confine the random order", "none"),
    key<&Run::largest_size, Largest>("max size", "max_size", Kind::fact,
                                     "the largest size, and why it is less than the default"),
    key<&Run::threads, Count>("threads", "threads", Kind::setting, "how many walk at the same time"),
    key<&Run::parallel, Count>("parallel", "parallel", Kind::setting, "chains that each thread walks side by side"),
    key<&Run::estimate, OneWord<Estimate>>("estimate", "estimate", Kind::setting,
                                           "the figure over the batches that the latency is"),
    key<&Run::accesses, Count>("accesses", "accesses", Kind::fact, "for each size; with a precision at most"),
    key<&Run::precision_percent, Percent>("precision", "precision_percent", Kind::fact, "asked for"),
    key<&Run::batches, Count>("batches", "batches", Kind::fact,
                              "that the accesses are split into; not with a precision"),
    key<&Run::visits, Count>("visits", "visits", Kind::setting, "of each size; with a precision at most"),
    key<&Run::warmup, Warming>("warmup", "warmup", Kind::setting, "laps before timing"),
    key<&Run::pages, OneWord<PageKind>>("pages", "pages", Kind::setting, "the kind asked for"),
    key<&Run::pages_got, Pages>("pages got", "pages_got", Kind::setting, "as the kernel reports them, by thread"),
    key<&Run::transparent_policy, Text>("transparent huge pages", "transparent_huge_pages", Kind::fact,
                                        "the system's setting: always, madvise or never"),
    key<&Run::nodes, MemoryNodes>("node", "nodes", Kind::setting, "the NUMA nodes of the memory"),
    key<&Run::cpu_model, Text>("cpu", "cpu_model", Kind::fact, "the processor's name"),
    key<&Run::processors, Processors>("processors", "processors", Kind::fact, "that the threads run on"),
    key<&Run::caches, Caches>("caches", "caches", Kind::fact, "as the kernel reports them"),
    key<&Run::kernel, Text>("kernel", "kernel", Kind::fact, "name, release and machine"),
    key<&Run::virtual_machine, Yes>("virtual machine", "virtual_machine", Kind::fact,
                                    "whose neighbours share caches and clock, and whose page walks cost more"),
    key<&Run::counters, Counters>("counters", "counters", Kind::fact, "asked for"),
    key<&Run::core_clock_ghz, Gigahertz>("core clock", "core_clock_ghz", Kind::fact, "before the first size"),
    key<&Run::seed, Count>("seed", "seed", Kind::fact, "of the random order"),
    key<&Run::core_clock_range, Range>("core clock range", "core_clock_range_ghz", Kind::at_end,
                                       "the lowest and highest at which a row was made"),
    key<&Run::end, End>("end", "end", Kind::at_end, "the last line: how many sizes or rows are there of how many"),
};

} // namespace

std::span<const RunKey> run_keys() {
    return table;
}

std::optional<std::string> read_run_members(RunDescription& run, const nlohmann::ordered_json& members, bool at_end) {
    for (const RunKey& key : table) {
        const auto found = members.is_object() ? members.find(std::string(key.member)) : members.end();
        if (key.at_end != at_end || found == members.end() || found->is_null() || key.read_json == nullptr)
            continue;
        if (!key.read_json(run, *found) && key.setting)
            return fmt::format("{} is {}", key.member, in_quotes(csv_text(*found)));
    }
    return std::nullopt;
}

} // namespace memtest
