#pragma once

#include "memtest/chain/chains.hpp"
#include "memtest/cli/option_table.hpp"
#include "memtest/machine/counters.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/measure/timing.hpp"
#include "memtest/result/output_file.hpp"
#include "memtest/result/result.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// What the user asks of a sweep, and what it shares with other commands that measure; their own options derive from
/// these. The defaults are the sweep's. Empty members are chosen once the machine is known.
struct Options {
    // what is measured
    ChainShape shape{};
    std::optional<std::size_t> max_bytes = std::nullopt; ///< none: the command's default, or what fits
    std::optional<std::size_t> min_bytes = std::nullopt; ///< none: the smallest that makes sense
    std::optional<unsigned> points = std::nullopt;       ///< none: the classic schedule

    // where
    unsigned threads = 1;
    std::optional<std::vector<int>> cpus = std::nullopt;
    std::optional<std::string> core_kind = std::nullopt;   ///< the name of the kind to choose processors of
    std::optional<std::vector<int>> nodes = std::nullopt;  ///< one for all threads, or one per thread
    std::optional<PageKind> pages = std::nullopt;          ///< none: the command's default
    std::optional<std::string> memory_file = std::nullopt; ///< none: the program's own memory
    bool overwrite = false;                                ///< the data in that file
    bool awake = false;                                    ///< keep the other physical cores awake

    // how
    TimingPlan timing{.accesses = any_number_of_accesses, .visits = 16, .precision_percent = 2};
    std::optional<unsigned> warmup_laps = std::nullopt; ///< none: until the caches are in the steady state
    std::optional<double> most_seconds = std::nullopt;  ///< none: the command's usual time

    // output
    std::vector<ColumnGroup> columns{}; ///< to append
    std::vector<Counter> counters{};
    bool levels = false;
    Format format = Format::csv;
    std::optional<std::string> output = std::nullopt; ///< none: standard output
    bool quiet = false;

    bool operator==(const Options&) const = default;
};

using MeasuringOption = Option<Options>;

inline constexpr std::size_t default_max_bytes = std::size_t{1} << 30U;

/// A file name that is not empty. @throws Error (usage)
[[nodiscard]] std::string parse_file_name(const GivenOption& argument);

/// Every option of the sweep.
[[nodiscard]] std::span<const MeasuringOption> sweep_options();

/// The default of --pages where latency is to be that of memory.
inline constexpr std::string_view huge_pages_if_granted = "thp if the system grants them, so that translation adds "
                                                          "little";

/// The sweep's option of this name, for a command that shares it. @pre there is one
[[nodiscard]] MeasuringOption shared_option(std::string_view name);

/// The same with another help text and another default or none.
[[nodiscard]] MeasuringOption shared_option(std::string_view name, std::string_view help, std::string_view preset = "");

/// --cpu for a command that measures on one processor, or one of a kind.
[[nodiscard]] MeasuringOption one_processor_option();

/// --max-time for a command that usually takes this.
[[nodiscard]] MeasuringOption time_option(std::string_view usual);

/// The options of a command that measures: its own, then those of its output.
template<class Target>
[[nodiscard]] std::vector<Option<Target>> measuring_options(std::vector<Option<Target>> own) {
    for (const std::string_view name : {"format", "output", "quiet"})
        own.push_back(shared_option(name));
    return own;
}

/// Refuses options that contradict each other, or lack one that they require. @param table of the command
/// @throws Error (usage)
void check_combinations(const CommandLine& line, const std::vector<OptionText>& table);

/// The options on a sweep's command line. @throws Error (usage) for values that make sense on no machine, such as a
/// stride that is no multiple of the line, a max size below the min size, or too few visits for the precision
[[nodiscard]] Options options_of_sweep(const CommandLine& line);

/// The smallest size of the sweep.
[[nodiscard]] std::size_t smallest_size_of(const Options& options);

/// The same in whole lines: the first size of the sweep.
[[nodiscard]] std::size_t first_size_of(const Options& options);

} // namespace memtest
