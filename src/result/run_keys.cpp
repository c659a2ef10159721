#include "memtest/result/run_description.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/base/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace memtest {

// The description's values as files have them.

template<>
constexpr std::tuple member_fields<LargestSize>{MemberField{"bytes", &LargestSize::bytes, true},
                                                MemberField{"lowered_from_bytes", &LargestSize::lowered_from_bytes},
                                                MemberField{"available_bytes", &LargestSize::available_bytes}};
template<>
constexpr std::tuple member_fields<Warmup>{MemberField{"laps", &Warmup::laps, true},
                                           MemberField{"most_ms", &Warmup::most_ms}};
template<>
constexpr std::tuple member_fields<PagesGot>{MemberField{"page_bytes", &PagesGot::page_bytes},
                                             MemberField{"transparent_page_bytes", &PagesGot::transparent_page_bytes},
                                             MemberField{"transparent_percent", &PagesGot::transparent_percent}};
template<>
constexpr std::tuple member_fields<NodesUsed>{MemberField{"ids", &NodesUsed::ids, true},
                                              MemberField{"verified", &NodesUsed::verified}};
template<>
constexpr std::tuple member_fields<ProcessorsUsed>{MemberField{"ids", &ProcessorsUsed::ids, true},
                                                   MemberField{"relation", &ProcessorsUsed::relation},
                                                   MemberField{"not_pinned", &ProcessorsUsed::not_pinned}};
template<>
constexpr std::tuple member_fields<ReportedCache>{
    MemberField{"level", &ReportedCache::level, true}, MemberField{"data_only", &ReportedCache::data_only},
    MemberField{"size_bytes", &ReportedCache::size_bytes, true}, MemberField{"shared_by", &ReportedCache::shared_by}};
template<>
constexpr std::tuple member_fields<ClockRange>{MemberField{"lowest", &ClockRange::lowest_ghz, true},
                                               MemberField{"highest", &ClockRange::highest_ghz, true}};

template<>
constexpr std::tuple member_fields<ScaledClock>{
    MemberField{"lowest", &ScaledClock::lowest_ghz, true}, MemberField{"highest", &ScaledClock::highest_ghz, true},
    MemberField{"current", &ScaledClock::current_ghz}, MemberField{"governor", &ScaledClock::governor}};
template<>
constexpr std::tuple member_fields<MemoryPolicy>{MemberField{"mode", &MemoryPolicy::mode, true},
                                                 MemberField{"nodes", &MemoryPolicy::nodes}};
template<>
constexpr std::tuple member_fields<NumaNode>{MemberField{"id", &NumaNode::id, true},
                                             MemberField{"memory", &NumaNode::memory},
                                             MemberField{"cache_bytes", &NumaNode::cache_bytes}};

// By their names, a file tells sizes from rows.
static Value as_value(const RunEnd& end, Digits /*digits*/) {
    return Members{{fmt::format("{}_measured", end.things()), end.measured},
                   {fmt::format("{}_planned", end.things()), end.planned},
                   {"interrupted", end.interrupted}};
}

static bool read_value(const Value& value, RunEnd& end) {
    end.of_rows = !value["rows_planned"].is_null();
    return read_value(value["interrupted"], end.interrupted) &&
           read_value(value[fmt::format("{}_measured", end.things())], end.measured) &&
           read_value(value[fmt::format("{}_planned", end.things())], end.planned);
}

namespace {

// The description's values as text of lines. A form says how if the type does not.

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

/// Nobody reads its text.
template<std::int8_t count = 2>
struct ForPrograms {
    static constexpr Digits digits = decimals(count);
    static constexpr bool may_be_empty = false; // a list
};

struct Plain : ForPrograms<> {
    static std::string text(const auto& value) { return line_text(value); }
};

struct MayBeEmpty : Plain {
    static constexpr bool may_be_empty = true;
};

struct ClockBeforeRows : ForPrograms<3> {
    static std::string text(double ghz) { return fmt::format("{:.3f} GHz before the first row", ghz); }
};

struct Percent : ForPrograms<> {
    static constexpr Digits digits{};
};

struct NodeIds : Plain {
    static bool differ(const NodesUsed& a, const NodesUsed& b) { return a.ids != b.ids; }
};

/// Only their number makes a difference.
struct Awake : Plain {
    static std::string text(const std::vector<int>& ids) { return format_ids(ids); }
    static bool differ(const std::vector<int>& a, const std::vector<int>& b) { return a.size() != b.size(); }
};

struct Pages : Plain {
    static bool differ(const auto& a, const auto& b) { return pages_differ(a, b); }
};

struct MemorySize : Plain {
    static std::string text(std::uint64_t bytes) { return human_size(bytes); }
    /// The kernel reserves more or less for itself from boot to boot.
    static bool differ(std::uint64_t a, std::uint64_t b) {
        return std::max(a, b) - std::min(a, b) > std::min(a, b) / 20;
    }
};

/// Sweeps that differ in the kind of core measured different things.
struct Names : Plain {
    static std::string text(const std::vector<std::string>& names) {
        return joined(names, ", ", [](const std::string& name) { return escaped(name); });
    }
};

bool is_above_0(double number) {
    return number > 0 && std::isfinite(number);
}

/// A key for one field of the description.
template<auto field, class Form = Plain>
constexpr RunKey key(std::string_view name, std::string_view member, Is is, std::string_view meaning,
                     std::string_view unsaid = {}) {
    using Type = typename std::decay_t<decltype(RunDescription{}.*field)>::value_type;
    RunKey made{.key = name, .member = member, .meaning = meaning, .is = is, .unsaid = unsaid};
    if constexpr (requires(Type value) { Form::text(value); }) {
        made.text = [](const RunDescription& run) {
            return run.*field ? std::optional<std::string>(Form::text(*(run.*field))) : std::nullopt;
        };
    }
    made.value = [](const RunDescription& run) { return as_value(run.*field, Form::digits); };
    if constexpr (requires(Type value) { Form::differ(value, value); }) {
        made.differ = [](const RunDescription& a, const RunDescription& b) {
            return !(a.*field) || !(b.*field) || Form::differ(*(a.*field), *(b.*field));
        };
    }
    made.read_value = [](RunDescription& run, const Value& given) {
        Type value{};
        bool is_valid = read_value(given, value) && (Form::may_be_empty || !is_empty_list(value));
        if constexpr (std::floating_point<Type>)
            is_valid = is_valid && is_above_0(value);
        else if constexpr (std::same_as<Type, std::vector<double>>)
            is_valid = is_valid && std::ranges::all_of(value, is_above_0);
        if (is_valid)
            run.*field = std::move(value);
        return is_valid;
    };
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
    key<&Run::arguments, MayBeEmpty>("arguments", "arguments", Is::fact, "the command line, without the program"),
    key<&Run::order>("order", "order", Is::setting, "in which the lines are visited"),
    key<&Run::link>("link", "link", Is::setting, "what a line holds of the next: a pointer or an index"),
    key<&Run::line_bytes>("line", "line_bytes", Is::setting, "size of a line in bytes"),
    key<&Run::stride_bytes>("stride", "stride_bytes", Is::setting, "in bytes; not with the random order"),
    key<&Run::tlb_locality_bytes>("tlb locality", "tlb_locality_bytes", Is::setting,
                                  "size in bytes of the blocks that confine the random order", "none"),
    key<&Run::orders>("orders", "orders", Is::setting, "random orders that the laps follow in turn", "1"),
    key<&Run::largest_size, ForPrograms<>>("max size", "max_size", Is::fact,
                                           "the largest size, and why it is less than the default"),
    key<&Run::threads>("threads", "threads", Is::setting, "how many walk at the same time"),
    key<&Run::parallel>("parallel", "parallel", Is::setting, "chains that each thread walks side by side"),
    key<&Run::estimate>("estimate", "estimate", Is::setting, "the figure over the batches that the latency is"),
    key<&Run::accesses>("accesses", "accesses", Is::fact, "for each size; with a precision at most"),
    key<&Run::precision_percent, Percent>("precision", "precision_percent", Is::fact, "asked for"),
    key<&Run::batches>("batches", "batches", Is::fact, "that the accesses are split into; not with a precision"),
    key<&Run::visits>("visits", "visits", Is::setting, "of each size; with a precision at most"),
    key<&Run::most_seconds, ForPrograms<1>>("max time", "max_seconds", Is::fact,
                                            "after which nothing was visited again, in seconds"),
    key<&Run::warmup>("warmup", "warmup", Is::setting, "laps before timing"),
    key<&Run::clean_lines>("clean lines", "clean_lines", Is::setting,
                           "of memtest cores: whether the owner's caches hold the lines unchanged"),
    for_people(key<&Run::memory_file>("memory file", "memory_file", Is::setting,
                                      "the file or device that was the memory", "none")),
    key<&Run::pages>("pages", "pages", Is::setting, "the kind asked for"),
    for_people(
        key<&Run::pages_got, Pages>("pages got", "pages_got", Is::setting, "as the kernel reports them, by thread")),
    key<&Run::transparent_policy>("transparent huge pages", "transparent_huge_pages", Is::system,
                                  "the system's setting: always, madvise or never"),
    key<&Run::nodes, NodeIds>("node", "nodes", Is::setting, "the NUMA nodes of the memory"),
    key<&Run::memory_policy>("memory policy", "memory_policy", Is::fact,
                             "by which the kernel takes memory from nodes, if numactl or a parent set one"),
    for_people(key<&Run::cpu_model>("cpu", "cpu_model", Is::machine, "the processor's name")),
    for_people(key<&Run::core_kinds, Names>("core kind", "core_kinds", Is::setting,
                                            "of the processors; not where all are alike")),
    key<&Run::processors, ForPrograms<>>("processors", "processors", Is::fact, "that the threads run on"),
    for_people(key<&Run::awake, Awake>("awake", "awake_processors", Is::setting,
                                       "processors of other cores that spun in registers meanwhile", "none")),
    key<&Run::caches>("caches", "caches", Is::machine, "as the kernel reports them"),
    key<&Run::memory_bytes, MemorySize>("memory", "memory_bytes", Is::system, "of the machine, in whole MiB"),
    for_people(key<&Run::machine>("machine", "machine", Is::system, "its vendor and product, or the board")),
    key<&Run::kinds_here>("kinds of cores", "kinds_of_cores", Is::fact,
                          "that the system reports, with the processors of each"),
    key<&Run::special_nodes>("special nodes", "special_nodes", Is::fact,
                             "NUMA nodes without processors, or with a cache before their memory"),
    key<&Run::kernel>("kernel", "kernel", Is::system, "name, release and machine"),
    key<&Run::microcode>("microcode", "microcode", Is::system, "its revision, as /proc/cpuinfo has it"),
    key<&Run::governor>("governor", "governor", Is::system, "of the processor's clock, as sysfs has it"),
    key<&Run::mitigations, Names>("mitigations", "mitigations", Is::system,
                                  "of vulnerabilities that affect the processor, as sysfs has them"),
    key<&Run::virtual_machine>("virtual machine", "virtual_machine", Is::fact,
                               "whose neighbours share caches and clock, and whose page walks cost more"),
    key<&Run::hypervisor>("hypervisor", "hypervisor", Is::system, "of the virtual machine"),
    key<&Run::container>("container", "container", Is::fact, "what manages the one that the process is in"),
    key<&Run::counters, ForPrograms<>>("counters", "counters", Is::fact, "asked for"),
    for_people(
        key<&Run::core_clock_ghz, ClockBeforeRows>("core clock", "core_clock_ghz", Is::fact, "before the first row")),
    key<&Run::uncore_clocks, ForPrograms<3>>(
        "uncore clock", "uncore_clock_ghz", Is::fact,
        "of each package or die: the range that it may take, and what it was before "
        "the first size"),
    key<&Run::memory_clocks, ForPrograms<3>>(
        "memory clock", "memory_clock_ghz", Is::fact,
        "of each memory controller that changes it: range, governor, and what it was "
        "before the first size"),
    key<&Run::seed>("seed", "seed", Is::fact, "of the random order"),
    key<&Run::core_clock_range, ForPrograms<3>>("core clock range", "core_clock_range_ghz", Is::at_end,
                                                "the lowest and highest at which a row was made"),
    key<&Run::core_clocks_ghz, ForPrograms<6>>("core clocks", "core_clocks_ghz", Is::at_end,
                                               "of each thread of a sweep, the median of its rows"),
    key<&Run::end>("end", "end", Is::at_end,
                   "how many sizes or rows there are of how many, and whether it was interrupted"),
};

/// Whether the run states it, or its silence means that there is none.
bool is_known(const RunDescription& run, const RunKey& key) {
    return !key.value(run).is_null() || (!key.unsaid.empty() && run.order);
}

/// The value for people; of a list of names, those that the other run does not have.
std::string value_in(const RunDescription& run, const RunKey& key, const RunDescription& other) {
    const Value names = key.value(run);
    if (names[0].text() == nullptr)
        return key.text(run).value_or(std::string(key.unsaid));
    const Value known = key.value(other);
    std::vector<std::string> own;
    for (const Value& name : names.list()) {
        if (std::ranges::find(known.list(), name) == known.list().end())
            own.push_back(escaped(text_of(name)));
    }
    return own.empty() ? "none of the other's" : joined(own, ", ", std::identity());
}

} // namespace

std::span<const RunKey> run_keys() {
    return table;
}

std::string run_lines(const RunDescription& run) {
    std::string lines;
    for (const RunKey& key : table) {
        if (const auto text = key.for_people ? key.text(run) : std::nullopt)
            lines += keyed_line(key.key, *text);
    }
    return lines;
}

Members run_members(const RunDescription& run, bool at_end) {
    Members members;
    for (const RunKey& key : table) {
        if ((key.is == Is::at_end) == at_end)
            members.set(key.member, key.value(run));
    }
    return members;
}

bool read_run_member(RunDescription& run, std::string_view name, const Value& value, bool at_end) {
    const auto* const found = std::ranges::find(table, name, &RunKey::member);
    if (found == table.end() || (found->is == Is::at_end) != at_end || value.is_null())
        return true;
    return found->read_value(run, value) || found->is != Is::setting;
}

std::vector<Difference> differences(const RunDescription& base, const RunDescription& latest, Is is) {
    std::vector<Difference> differences;
    for (const RunKey& key : table) {
        if (key.is == is && is_known(base, key) && is_known(latest, key) && key.value(base) != key.value(latest) &&
            (key.differ == nullptr || key.differ(base, latest)))
            differences.push_back({std::string(key.key), value_in(base, key, latest), value_in(latest, key, base)});
    }
    return differences;
}

std::string describe(std::span<const Difference> differences) {
    return joined(differences, ", ", [](const Difference& difference) {
        return fmt::format("{} ({} before, {} now)", difference.key, difference.base, difference.latest);
    });
}

std::string keyed_line(std::string_view key, std::string_view value) {
    return fmt::format("# {}: {}\n", key, escaped(value));
}

} // namespace memtest
