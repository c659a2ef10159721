#pragma once

#include "memtest/chain/cycle.hpp"
#include "memtest/chain/schedule.hpp"
#include "memtest/machine/clock.hpp"
#include "memtest/machine/counters.hpp"
#include "memtest/machine/kinds.hpp"
#include "memtest/machine/numa.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/result/value.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace memtest {

/// What was walked before timing.
struct Warmup {
    std::uint64_t laps = 1;
    std::optional<std::uint64_t> most_ms = std::nullopt; ///< stops before the laps are done if they take longer

    bool operator==(const Warmup&) const = default;
};

/// The pages of one thread's memory.
struct PagesGot {
    std::uint64_t page_bytes = 0;             ///< of those that are not transparent huge pages; 0 if unknown
    std::uint64_t transparent_page_bytes = 0; ///< 0 if there are none
    double transparent_percent = 0;           ///< share of the memory in transparent huge pages

    [[nodiscard]] bool are_known() const { return page_bytes != 0 || transparent_page_bytes != 0; }
    bool operator==(const PagesGot&) const = default;
};

/// The NUMA nodes that the memory comes from.
struct NodesUsed {
    std::vector<int> ids;  ///< one for all threads, or one for each
    bool verified = false; ///< the kernel confirms that the memory is there

    bool operator==(const NodesUsed&) const = default;
};

/// The processors that the threads run on.
struct ProcessorsUsed {
    std::vector<int> ids;
    std::string relation;   ///< between several; empty for one, and if threads are not pinned
    std::string not_pinned; ///< why threads are not bound to them; empty if they are

    bool operator==(const ProcessorsUsed&) const = default;
};

/// The lowest and the highest reading of the core's clock.
struct ClockRange {
    double lowest_ghz = 0;
    double highest_ghz = 0;

    bool operator==(const ClockRange&) const = default;
};

/// How a run ended.
struct RunEnd {
    std::uint64_t measured = 0; ///< sizes of a sweep, or rows of another result
    std::uint64_t planned = 0;
    bool interrupted = false; ///< or failed
    bool of_rows = false;

    [[nodiscard]] std::string_view things() const { return of_rows ? "rows" : "sizes"; }
    [[nodiscard]] bool complete() const { return measured == planned && !interrupted; }
    bool operator==(const RunEnd&) const = default;
};

template<>
inline constexpr std::tuple member_fields<CoreKind>{MemberField{"name", &CoreKind::name, true},
                                                    MemberField{"processors", &CoreKind::processors, true}};

/// The settings and circumstances of a run. What a file does not state is unknown.
struct RunDescription {
    std::optional<std::string> version; ///< of the program
    std::optional<std::string> start;   ///< as `2026-01-31T23:59:59Z`
    std::optional<std::vector<std::string>> arguments;

    std::optional<Order> order;
    std::optional<Link> link;
    std::optional<std::uint64_t> line_bytes;
    std::optional<std::uint64_t> stride_bytes; ///< not set for the random order
    std::optional<std::uint64_t> tlb_locality_bytes;
    std::optional<std::uint64_t> orders; ///< not set for one
    std::optional<LargestSize> largest_size;
    std::optional<std::uint64_t> threads;
    std::optional<std::uint64_t> parallel;
    std::optional<std::uint64_t> seed; ///< of the random order

    std::optional<Estimate> estimate;
    std::optional<std::uint64_t> accesses; ///< for each size; an upper limit if there is a precision
    std::optional<double> precision_percent;
    std::optional<std::uint64_t> batches; ///< that the accesses are split into, if there is no precision
    std::optional<std::uint64_t> visits;  ///< of each size, at most
    std::optional<double> most_seconds;   ///< once they were over, nothing was visited again
    std::optional<Warmup> warmup;
    std::optional<std::vector<Counter>> counters;
    std::optional<bool> clean_lines; ///< of core-to-core transfers: unchanged in their owner's caches

    std::optional<std::string> memory_file; ///< that was walked, as an absolute path; none: the program's own memory
    std::optional<PageKind> pages;          ///< asked for; not set for a file, which has its own
    std::optional<std::vector<PagesGot>> pages_got; ///< for each thread
    std::optional<std::string> transparent_policy;  ///< the system's setting: always, madvise or never
    std::optional<NodesUsed> nodes;
    std::optional<ProcessorsUsed> processors;
    std::optional<std::vector<int>> awake;              ///< processors of other cores that are kept awake
    std::optional<std::vector<std::string>> core_kinds; ///< of the processors; not set where all are of one kind
    std::optional<MemoryPolicy> memory_policy;          ///< set if the process was started with one

    std::optional<std::string> cpu_model;
    std::optional<std::vector<ReportedCache>> caches;
    std::optional<std::uint64_t> memory_bytes; ///< of the machine
    std::optional<std::string> kernel;
    std::optional<std::string> microcode;                ///< its revision
    std::optional<std::string> governor;                 ///< of the measured processors' clock
    std::optional<std::vector<std::string>> mitigations; ///< "meltdown: Mitigation: PTI" for what affects the processor
    std::optional<std::string> machine;                  ///< vendor and product, or board
    std::optional<std::vector<CoreKind>> kinds_here;
    std::optional<std::vector<NumaNode>> special_nodes; ///< without processors, or with a cache before the memory
    std::optional<bool> virtual_machine;
    std::optional<std::string> hypervisor;
    std::optional<std::string> container; ///< the name of its manager
    std::optional<double> core_clock_ghz; ///< before the first size
    std::optional<std::vector<ScaledClock>> uncore_clocks;
    std::optional<std::vector<ScaledClock>> memory_clocks;

    // Known at the end.
    std::optional<ClockRange> core_clock_range;         ///< of all rows
    std::optional<std::vector<double>> core_clocks_ghz; ///< of each thread, the median of its rows
    std::optional<RunEnd> end;

    bool operator==(const RunDescription&) const = default;
};

// The values as text of a line `# key: value`, for people.

[[nodiscard]] std::string text_of(const std::vector<std::string>& arguments); ///< quoted for a shell
/// "0.528 to 2.112 GHz, 2.112 GHz before the first size, governor simple_ondemand", with "; " between several.
[[nodiscard]] std::string text_of(const std::vector<ScaledClock>& clocks);
[[nodiscard]] std::string text_of(const MemoryPolicy& policy);         ///< "bind 0,1"
[[nodiscard]] std::string text_of(const std::vector<CoreKind>& kinds); ///< "P-core 0-11, E-core 12-19"
/// "2 without processors (CXL memory), 0 behind a cache of 16 GiB"
[[nodiscard]] std::string text_of(const std::vector<NumaNode>& nodes);

[[nodiscard]] std::string text_of(const Warmup& warmup);

/// "4 KiB", "2 MiB transparent", "4 KiB and 2 MiB transparent (37 % of the memory)", "not known"; once for all threads,
/// or for each if they differ, with "; " between them.
[[nodiscard]] std::string text_of(const std::vector<PagesGot>& threads);

/// "4 KiB pages", "2 MiB transparent huge pages", "unknown pages".
[[nodiscard]] std::string pages_in_words(const RunDescription& run);

[[nodiscard]] std::string text_of(const NodesUsed& nodes);

/// "L1d 32 KiB, L2 1 MiB, L3 32 MiB shared by 16".
[[nodiscard]] std::string text_of(const std::vector<ReportedCache>& caches);

[[nodiscard]] std::string text_of(const RunEnd& end);

/// Whether the pages may change latencies: a thread has pages of another size, or its share of transparent huge pages
/// differs by more than ten points. Smaller differences occur from run to run. Threads that only one run has are
/// compared with the last of the other: a machine with more processors has more threads that load memory.
[[nodiscard]] bool pages_differ(const std::vector<PagesGot>& a, const std::vector<PagesGot>& b);

/// What a key is about. Sweeps that differ in a setting or in the machine cannot be compared.
enum class Is { fact, setting, machine, system, at_end };

/// A field of the description: how it is written in JSON, for people if they read it, and how it is read.
struct RunKey {
    std::string_view key;     ///< in `# key: value`
    std::string_view member;  ///< in JSON
    std::string_view meaning; ///< for the manual
    Is is = Is::fact;         ///< at_end: known after the rows; in JSON a member of the document, not of `run`
    bool for_people = false;  ///< one of the few that a person reads before the rows
    /// The value for a run that gives its order but not this key; empty if unknown then.
    std::string_view unsaid = {};

    std::optional<std::string> (*text)(const RunDescription&) = nullptr; ///< std::nullopt if unknown; null: no text
    Value (*value)(const RunDescription&) = nullptr;
    /// Returns false for an unsuitable value.
    bool (*read_value)(RunDescription&, const Value&) = nullptr;
    /// Whether values with different JSON differ, true also if only one is known; null if they always do.
    bool (*differ)(const RunDescription&, const RunDescription&) = nullptr;
};

/// All of them, in the order of the output.
[[nodiscard]] std::span<const RunKey> run_keys();

/// The few lines `# key: value` that a person reads before the rows.
[[nodiscard]] std::string run_lines(const RunDescription& run);

/// The same as members of JSON, with unknown ones as null.
[[nodiscard]] Members run_members(const RunDescription& run, bool at_end);

/// Adds to the description what a member of JSON says about the run. Skips other keys.
/// @return false for a setting with an unknown value
[[nodiscard]] bool read_run_member(RunDescription& run, std::string_view name, const Value& value, bool at_end);

/// A key in which two sweeps differ, with its values for people.
struct Difference {
    std::string key;
    std::string base;
    std::string latest;
};

/// The keys of one sort in which two runs differ. A value that only one of them states is no difference; a file of the
/// classic tool states none.
[[nodiscard]] std::vector<Difference> differences(const RunDescription& base, const RunDescription& latest, Is is);

/// One line that names the keys in which two sweeps differ.
[[nodiscard]] std::string describe(std::span<const Difference> differences);

/// `# key: value`, with its line end.
[[nodiscard]] std::string keyed_line(std::string_view key, std::string_view value);

} // namespace memtest
