#include "memtest/report/run_keys.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

namespace memtest {
namespace {

// The description's values as JSON.

/// A field of a structure, as a member of JSON.
template<class Object, class Type>
struct Field {
    const char* name = nullptr;
    Type Object::*field = nullptr;
    bool needed = false; ///< there is no value without it
};

// Older compilers do not find them.
template<class Object, class Type>
Field(const char*, Type Object::*) -> Field<Object, Type>;
template<class Object, class Type>
Field(const char*, Type Object::*, bool) -> Field<Object, Type>;

/// The fields of a structure, in the order of JSON.
template<class Object>
constexpr std::tuple<> fields_of{};

template<>
constexpr std::tuple fields_of<LargestSize>{Field{"bytes", &LargestSize::bytes, true},
                                            Field{"lowered_from_bytes", &LargestSize::lowered_from_bytes},
                                            Field{"available_bytes", &LargestSize::available_bytes}};
template<>
constexpr std::tuple fields_of<Warmup>{Field{"laps", &Warmup::laps, true}, Field{"most_ms", &Warmup::most_ms}};
template<>
constexpr std::tuple fields_of<PagesGot>{Field{"page_bytes", &PagesGot::page_bytes},
                                         Field{"transparent_page_bytes", &PagesGot::transparent_page_bytes},
                                         Field{"transparent_percent", &PagesGot::transparent_percent}};
template<>
constexpr std::tuple fields_of<NodesUsed>{Field{"ids", &NodesUsed::ids, true}, Field{"verified", &NodesUsed::verified}};
template<>
constexpr std::tuple fields_of<ProcessorsUsed>{Field{"ids", &ProcessorsUsed::ids, true},
                                               Field{"relation", &ProcessorsUsed::relation},
                                               Field{"not_pinned", &ProcessorsUsed::not_pinned}};
template<>
constexpr std::tuple fields_of<ReportedCache>{
    Field{"level", &ReportedCache::level, true}, Field{"data_only", &ReportedCache::data_only},
    Field{"size_bytes", &ReportedCache::size_bytes, true}, Field{"shared_by", &ReportedCache::shared_by}};
template<>
constexpr std::tuple fields_of<ClockRange>{Field{"lowest", &ClockRange::lowest_ghz, true},
                                           Field{"highest", &ClockRange::highest_ghz, true}};

template<>
constexpr std::tuple fields_of<UncoreClock>{Field{"lowest", &UncoreClock::lowest_ghz, true},
                                            Field{"highest", &UncoreClock::highest_ghz, true},
                                            Field{"current", &UncoreClock::current_ghz}};

Value to_value(const RunEnd& end, Digits /*digits*/) {
    return Value::Members{{fmt::format("{}_measured", end.things()), end.measured},
                          {fmt::format("{}_planned", end.things()), end.planned},
                          {"interrupted", end.interrupted}};
}

template<class Type>
Value to_value(const Type& thing, Digits digits) {
    if constexpr (std::is_enum_v<Type>)
        return word_of(thing);
    else if constexpr (std::is_floating_point_v<Type>)
        return {thing, digits};
    else if constexpr (requires { thing.has_value(); })
        return thing ? to_value(*thing, digits) : Value();
    else if constexpr (std::is_constructible_v<Value, Type>)
        return thing;
    else if constexpr (requires { thing.begin(); }) {
        Value::List list;
        for (const auto& element : thing)
            list.push_back(to_value(element, digits));
        return list;
    } else {
        Value::Members members;
        const auto add = [&](const auto& field) {
            // In a structure, no text and no size stand for what is not known.
            const auto& value = thing.*field.field;
            using Part = std::decay_t<decltype(value)>;
            const bool is_known = field.needed ||
                                  !(std::same_as<Part, std::string> || std::same_as<Part, std::uint64_t>) ||
                                  value != Part{};
            members.push_back({field.name, is_known ? to_value(value, digits) : Value()});
        };
        std::apply([&](const auto&... fields) { (add(fields), ...); }, fields_of<Type>);
        return members;
    }
}

/// @return false where the value is no such thing
template<class Type>
bool from_value(const Value& value, Type& thing) {
    const auto assign = [&](const Type* found) {
        if (found != nullptr)
            thing = *found;
        return found != nullptr;
    };
    if constexpr (std::same_as<Type, bool> || std::same_as<Type, std::string> || std::same_as<Type, std::uint64_t>)
        return assign(value.as<Type>());
    else if constexpr (std::is_enum_v<Type>) {
        const auto* word = value.as<std::string>();
        const auto known = word == nullptr ? std::nullopt : value_of<Type>(*word);
        return assign(known ? &*known : nullptr);
    } else if constexpr (std::same_as<Type, int>) {
        constexpr std::uint64_t most = 1'000'000;
        const auto* count = value.as<std::uint64_t>();
        if (count == nullptr || *count > most)
            return false;
        thing = static_cast<int>(*count);
        return true;
    } else if constexpr (std::is_floating_point_v<Type>) {
        thing = value.number().value_or(-1);
        return thing >= 0 && std::isfinite(thing);
    } else if constexpr (requires { thing.has_value(); }) {
        return from_value(value, thing.emplace());
    } else if constexpr (requires { thing.begin(); }) {
        const auto* list = value.as<Value::List>();
        return list != nullptr && !list->empty() && std::ranges::all_of(*list, [&](const Value& element) {
                   return from_value(element, thing.emplace_back());
               });
    } else {
        const auto read = [&](const auto& field) {
            auto part = thing.*field.field;
            if (!from_value(value[field.name], part))
                return !field.needed;
            thing.*field.field = std::move(part);
            return true;
        };
        return value.as<Value::Members>() != nullptr &&
               std::apply([&](const auto&... fields) { return (read(fields) && ...); }, fields_of<Type>);
    }
}

bool from_value(const Value& value, RunEnd& end) {
    end.of_rows = value["rows_planned"].is_known();
    static_cast<void>(from_value(value["interrupted"], end.interrupted));
    return from_value(value[fmt::format("{}_measured", end.things())], end.measured) &&
           from_value(value[fmt::format("{}_planned", end.things())], end.planned);
}

// The description's values in lines. Forms say how, where that does not follow from the type.

template<class Type>
std::string line_text(const Type& value) {
    if constexpr (std::same_as<Type, std::string>)
        return escaped(value);
    else if constexpr (std::same_as<Type, bool>)
        return value ? "yes" : "no";
    else if constexpr (std::is_enum_v<Type>)
        return std::string(word_of(value));
    else if constexpr (std::integral<Type>)
        return fmt::format("{}", value);
    else
        return text_of(value);
}

template<class Type>
bool parse_line(std::string_view text, Type& value) {
    if constexpr (requires { parse(text, value); })
        return parse(text, value);
    else if constexpr (std::same_as<Type, std::string>) {
        value = text;
        return true;
    } else {
        std::optional<Type> read;
        if constexpr (std::same_as<Type, bool>)
            read = text == "yes" || text == "no" ? std::optional(text == "yes") : std::nullopt;
        else if constexpr (std::is_enum_v<Type>)
            read = value_of<Type>(text);
        else if constexpr (std::integral<Type>)
            read = parse_number<Type>(text);
        value = read.value_or(Type{});
        return read.has_value();
    }
}

/// The option of the probe, with a value of any type.
std::string with_value(std::string_view option, const auto& value) {
    return fmt::format("--{}={}", option, value);
}

struct Plain {
    static constexpr Digits digits = decimals(2);
    static std::string asked(std::string_view option, const auto& value) { return with_value(option, text(value)); }
    static std::string text(const auto& value) { return line_text(value); }
    static bool read(std::string_view text, auto& value) { return parse_line(text, value); }
};

/// Of words that are options without a value, but for the default.
struct Flag : Plain {
    static std::string asked(std::string_view /*option*/, auto value) {
        return value == decltype(value){} ? "" : fmt::format("--{}", text(value));
    }
};

struct Gigahertz {
    static constexpr Digits digits = decimals(3);
    static std::string text(double ghz) { return fmt::format("{:.3f} GHz", ghz); }
    static std::string text(const auto& clocks) { return text_of(clocks); }
    static bool read(std::string_view text, double& ghz) {
        ghz = take_number<double>(text).value_or(0);
        return text == " GHz";
    }
};

struct Percent {
    static constexpr Digits digits{};
    static std::string text(double percent) { return fmt::format("{:g} %", percent); }
    static std::string asked(std::string_view option, double percent) { return with_value(option, percent); }
    static bool read(std::string_view text, double& percent) {
        percent = take_number<double>(text).value_or(0);
        return text == " %";
    }
};

/// By default laps end after some time.
struct Laps : Plain {
    static std::string asked(std::string_view option, const Warmup& warmup) {
        return warmup.most_ms ? "" : with_value(option, warmup.laps);
    }
};

struct NodeIds : Plain {
    static std::string asked(std::string_view option, const NodesUsed& nodes) {
        return with_value(option, format_ids(nodes.ids));
    }
    static bool differ(const NodesUsed& a, const NodesUsed& b) { return a.ids != b.ids; }
};

/// How many they are makes a difference, which they are does not.
struct Awake : Plain {
    static std::string text(const std::vector<int>& ids) { return format_ids(ids); }
    static std::string asked(std::string_view option, const std::vector<int>& /*ids*/) {
        return fmt::format("--{}", option);
    }
    static bool read(std::string_view text, std::vector<int>& ids) {
        ids = parse_distinct_ids(text).value_or(std::vector<int>{});
        return !ids.empty();
    }
    static bool differ(const std::vector<int>& a, const std::vector<int>& b) { return a.size() != b.size(); }
};

struct Pages : Plain {
    static bool differ(const auto& a, const auto& b) { return pages_differ(a, b); }
};

struct Memory : Plain {
    static std::string text(std::uint64_t bytes) { return human_size(bytes); }
    static bool read(std::string_view text, std::uint64_t& bytes) {
        bytes = parse_human_size(text).value_or(0);
        return bytes != 0;
    }
    /// From boot to boot the kernel takes more or less for itself.
    static bool differ(std::uint64_t a, std::uint64_t b) {
        return std::max(a, b) - std::min(a, b) > std::min(a, b) / 20;
    }
};

/// Without `read`, for what no verb needs of a file.
struct Unread {
    static constexpr Digits digits{};
    static std::string text(const auto& value) { return text_of(value); }
};

/// Keeps the value, if it was read and is sound; the first counts. @return whether it is
template<class Type>
bool keep(std::optional<Type>& field, Type value, bool is_read) {
    if constexpr (std::floating_point<Type>)
        is_read = is_read && value > 0 && std::isfinite(value);
    if (is_read && !field)
        field = std::move(value);
    return is_read;
}

/// A key for one field of the description.
template<auto field, class Form = Plain>
constexpr RunKey key(std::string_view name, std::string_view member, Is is, std::string_view meaning,
                     std::string_view option = {}, std::string_view unsaid = {}) {
    using Type = typename std::decay_t<decltype(RunDescription{}.*field)>::value_type;
    RunKey made{.key = name, .member = member, .meaning = meaning, .is = is, .unsaid = unsaid, .option = option};
    made.text = [](const RunDescription& run) {
        return run.*field ? std::optional<std::string>(Form::text(*(run.*field))) : std::nullopt;
    };
    made.value = [](const RunDescription& run) { return to_value(run.*field, Form::digits); };
    if constexpr (requires(Type value) { Form::differ(value, value); }) {
        made.differ = [](const RunDescription& a, const RunDescription& b) {
            return !(a.*field) || !(b.*field) || Form::differ(*(a.*field), *(b.*field));
        };
    }
    if constexpr (requires(Type value) { Form::asked("", value); }) {
        made.asked = [](const RunDescription& run, std::string_view name) {
            return run.*field ? Form::asked(name, *(run.*field)) : std::string();
        };
    }
    if constexpr (requires(Type value) { Form::read("", value); }) {
        made.read_text = [](RunDescription& run, std::string_view text) {
            Type value{};
            const bool is_read = Form::read(text, value);
            return keep(run.*field, std::move(value), is_read);
        };
        made.read_value = [](RunDescription& run, const Value& json) {
            Type value{};
            const bool is_read = from_value(json, value);
            return keep(run.*field, std::move(value), is_read);
        };
    }
    return made;
}

constexpr RunKey for_people(RunKey key) {
    key.for_people = true;
    return key;
}

using Run = RunDescription;

constexpr std::array table{
    key<&Run::version>("version", "version", Is::fact, "of the program"),
    key<&Run::start>("start", "start", Is::fact, "when the run began, in universal time"),
    key<&Run::arguments, Unread>("arguments", "arguments", Is::fact, "the command line, without the program"),
    key<&Run::order, Flag>("order", "order", Is::setting, "in which the lines are visited", "random"),
    key<&Run::link, Flag>("link", "link", Is::setting, "what a node holds of the next", "index"),
    key<&Run::line_bytes>("line", "line_bytes", Is::setting, "size of a line in bytes", "line-size"),
    key<&Run::stride_bytes>("stride", "stride_bytes", Is::setting, "in bytes; not with the random order", "stride"),
    key<&Run::tlb_locality_bytes>("tlb locality", "tlb_locality_bytes", Is::setting,
                                  "size in bytes of the blocks that confine the random order", "tlb-locality", "none"),
    key<&Run::largest_size, Unread>("max size", "max_size", Is::fact,
                                    "the largest size, and why it is less than the default"),
    key<&Run::threads>("threads", "threads", Is::setting, "how many walk at the same time", "threads"),
    key<&Run::parallel>("parallel", "parallel", Is::setting, "chains that each thread walks side by side", "parallel"),
    key<&Run::estimate>("estimate", "estimate", Is::setting, "the figure over the batches that the latency is",
                        "estimate"),
    key<&Run::accesses>("accesses", "accesses", Is::fact, "for each size; with a precision at most", "accesses"),
    key<&Run::precision_percent, Percent>("precision", "precision_percent", Is::fact, "asked for", "precision"),
    key<&Run::batches>("batches", "batches", Is::fact, "that the accesses are split into; not with a precision",
                       "batches"),
    key<&Run::visits>("visits", "visits", Is::setting, "of each size; with a precision at most", "visits"),
    key<&Run::warmup, Laps>("warmup", "warmup", Is::setting, "laps before timing", "warmup"),
    key<&Run::clean_lines>("clean lines", "clean_lines", Is::setting,
                           "of memtest cores: whether the owner's caches hold the lines unchanged"),
    for_people(key<&Run::memory_file>("memory file", "memory_file", Is::setting,
                                      "the file or device that was the memory", "memory", "none")),
    key<&Run::pages>("pages", "pages", Is::setting, "the kind asked for", "pages"),
    for_people(
        key<&Run::pages_got, Pages>("pages got", "pages_got", Is::setting, "as the kernel reports them, by thread")),
    key<&Run::transparent_policy>("transparent huge pages", "transparent_huge_pages", Is::fact,
                                  "the system's setting: always, madvise or never"),
    key<&Run::nodes, NodeIds>("node", "nodes", Is::setting, "the NUMA nodes of the memory", "node"),
    for_people(key<&Run::cpu_model>("cpu", "cpu_model", Is::machine, "the processor's name")),
    key<&Run::processors>("processors", "processors", Is::fact, "that the threads run on"),
    for_people(key<&Run::awake, Awake>("awake", "awake_processors", Is::setting,
                                       "processors of other cores that spun in registers meanwhile", "awake", "none")),
    key<&Run::caches>("caches", "caches", Is::machine, "as the kernel reports them"),
    key<&Run::memory_bytes, Memory>("memory", "memory_bytes", Is::system, "of the machine, in whole MiB"),
    key<&Run::kernel>("kernel", "kernel", Is::system, "name, release and machine"),
    key<&Run::virtual_machine>("virtual machine", "virtual_machine", Is::fact,
                               "whose neighbours share caches and clock, and whose page walks cost more"),
    key<&Run::counters, Unread>("counters", "counters", Is::fact, "asked for"),
    key<&Run::core_clock_ghz, Gigahertz>("core clock", "core_clock_ghz", Is::fact, "before the first size"),
    key<&Run::uncore_clocks, Gigahertz>("uncore clock", "uncore_clock_ghz", Is::fact,
                                        "of each package or die: the range that it may take, and what it was before "
                                        "the first size"),
    key<&Run::seed>("seed", "seed", Is::fact, "of the random order", "seed"),
    key<&Run::core_clock_range, Gigahertz>("core clock range", "core_clock_range_ghz", Is::at_end,
                                           "the lowest and highest at which a row was made"),
    for_people(key<&Run::end>("end", "end", Is::at_end, "the last line: how many sizes or rows are there of how many")),
};

std::optional<std::string> value_in(const RunDescription& run, const RunKey& key) {
    auto text = key.text(run);
    if (!text && !key.unsaid.empty() && run.order)
        return std::string(key.unsaid);
    return text;
}

} // namespace

std::span<const RunKey> run_keys() {
    return table;
}

std::string run_lines(const RunDescription& run, bool at_end, bool for_people) {
    std::string lines;
    for (const RunKey& key : table) {
        const bool is_wanted = (key.is == Is::at_end) == at_end && (key.for_people || !for_people);
        if (const auto text = is_wanted ? key.text(run) : std::nullopt)
            lines += keyed_line(key.key, *text);
    }
    return lines;
}

Value::Members run_members(const RunDescription& run, bool at_end) {
    Value::Members members;
    for (const RunKey& key : table) {
        if ((key.is == Is::at_end) == at_end)
            members.push_back({std::string(key.member), key.value(run)});
    }
    return members;
}

std::vector<std::string> option_words(const RunDescription& run) {
    std::vector<std::string> words;
    for (const RunKey& key : table) {
        const std::string word = key.option.empty() ? "" : key.asked(run, key.option);
        if (!word.empty())
            words.push_back(word);
    }
    return words;
}

bool read_run_line(RunDescription& run, std::string_view key, std::string_view value) {
    const auto* const found = std::ranges::find(table, key, &RunKey::key);
    if (found == table.end() || found->read_text == nullptr)
        return true;
    return found->read_text(run, value) || found->is != Is::setting;
}

bool read_run_member(RunDescription& run, const Member& member, bool at_end) {
    const auto* const found = std::ranges::find(table, member.name, &RunKey::member);
    if (found == table.end() || (found->is == Is::at_end) != at_end || found->read_value == nullptr ||
        !member.value.is_known())
        return true;
    return found->read_value(run, member.value) || found->is != Is::setting;
}

std::vector<Difference> differences(const RunDescription& base, const RunDescription& latest, Is is) {
    std::vector<Difference> differences;
    for (const RunKey& key : table) {
        const auto base_value = value_in(base, key);
        const auto latest_value = value_in(latest, key);
        if (key.is == is && base_value && latest_value && *base_value != *latest_value &&
            (key.differ == nullptr || key.differ(base, latest)))
            differences.push_back({std::string(key.key), *base_value, *latest_value});
    }
    return differences;
}

std::string describe(std::span<const Difference> differences) {
    return joined(differences, ", ", [](const Difference& difference) {
        return fmt::format("{} ({} before, {} now)", difference.key, difference.base, difference.latest);
    });
}

std::string keyed_line(std::string_view key, std::string_view value) {
    return fmt::format("# {}: {}\n", key, value);
}

} // namespace memtest
