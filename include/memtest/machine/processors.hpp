#pragma once

#include "memtest/base/words.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

class SystemFiles;

/// A data or unified cache of one processor, as the kernel describes it.
struct Cache {
    int level = 0;
    bool data_only = false;
    std::uint64_t size_bytes = 0;
    std::size_t line_bytes = 0; ///< 0 if the kernel does not report it
    std::vector<int> shared_by; ///< the processors that share it; empty if unknown
};

/// For people: "L1d", "L2".
[[nodiscard]] std::string cache_name(const Cache& cache);

/// Where a processor (a hardware thread) is in the machine.
struct Processor {
    int id = 0;
    int package = 0;             ///< the first of these processors in the same one
    int core = 0;                ///< the same for a core; processors of one core are SMT siblings
    std::vector<Cache> caches{}; ///< on its way to memory, nearest first; empty if unknown
    std::string name{};          ///< of the product or the core's design; empty if unknown
    std::string type{};          ///< P-core or E-core, by the PMU that counts for it; empty if all have the same
    std::optional<std::uint64_t> capacity{}; ///< as the kernel's scheduler compares it; 1024 is the highest
    std::optional<std::uint64_t> max_khz{};  ///< of its clock
};

/// A data or unified cache as the system reports it.
struct ReportedCache {
    int level = 0;
    std::uint64_t size_bytes = 0;
    int shared_by = 1; ///< processors that share it
    bool data_only = false;

    bool operator==(const ReportedCache&) const = default;
};

/// Levels of cache that a core has to itself, as a rule; it shares later ones with other cores and other guests.
inline constexpr std::size_t private_caches = 2;

/// A sweep to so many times the last cache shows memory: the cache holds an eighth of the largest size at most.
inline constexpr std::uint64_t last_caches_to_memory = 8;
/// In fewer, the caches serve many accesses.
inline constexpr std::uint64_t fewest_last_caches = 4;
/// Whether a size is so many caches; a twentieth less will do: 1 GiB, the default, where the last has 260 MiB.
[[nodiscard]] constexpr bool exceeds_cache(std::uint64_t bytes, std::uint64_t cache_bytes) {
    constexpr std::uint64_t percent = 95;
    return 100 * bytes >= percent * fewest_last_caches * cache_bytes;
}

/// The relation of processors to each other, as the system reports it.
enum class Relation { same_core, same_last_cache, same_package, different_packages };

template<>
inline constexpr std::array<Word<Relation>, 4> word_table<Relation>{
    {{Relation::same_core, "same core"},
     {Relation::same_last_cache, "same last-level cache"},
     {Relation::same_package, "same package"},
     {Relation::different_packages, "different packages"}}};

/// What the system reports about these processors. Without a report, each counts as a core of its own.
[[nodiscard]] std::vector<Processor> read_processors(const SystemFiles& files, const std::vector<int>& ids);

/// The processors with these ids, in the order of the ids. @pre each id is among them
[[nodiscard]] std::vector<Processor> with_ids(const std::vector<Processor>& processors, const std::vector<int>& ids);

/// The caches that are alike in all of them, as the first describes them. Cores of different kinds share only some.
[[nodiscard]] std::vector<Cache> caches_in_common(const std::vector<Processor>& processors);

/// The size of the largest of their last-level caches; 0 if none is known.
[[nodiscard]] std::uint64_t last_cache_bytes(const std::vector<Processor>& processors);

/// The size of the largest; 0 if there is none.
[[nodiscard]] std::uint64_t largest_cache_bytes(const std::vector<ReportedCache>& caches);

/// The size of this processor's last-level cache, for each thread to read: without the names of all processors. 0 if
/// unknown.
[[nodiscard]] std::uint64_t last_cache_bytes(const SystemFiles& files, int processor);

/// `count` of the processors: one per physical core before any SMT sibling, starting with the current one, then in the
/// order of their ids. @throws Error (usage) if there are fewer.
[[nodiscard]] std::vector<int> choose_processors(const std::vector<Processor>& allowed, int current, std::size_t count);

/// One processor of each physical core that has none of these, in their order.
[[nodiscard]] std::vector<int> on_other_cores(const std::vector<Processor>& allowed, const std::vector<int>& used);

/// The line size of the processor with this id, from its first cache with a known one, if any.
[[nodiscard]] std::optional<std::size_t> line_bytes_of(const std::vector<Processor>& processors, int id);

/// The number of physical cores that these processors belong to.
[[nodiscard]] std::size_t physical_cores(const std::vector<Processor>& processors);

/// The farthest relation between any two of them.
[[nodiscard]] Relation relation(const std::vector<Processor>& processors);

/// The processors that this process may run on (by affinity mask and control group), ascending.
[[nodiscard]] std::vector<int> allowed_processors();

/// The processor that runs the calling thread.
[[nodiscard]] int current_processor();

/// Why the system refuses to bind threads to processors (a seccomp filter, say); std::nullopt if it does not. The
/// calling thread may still run wherever it could before.
[[nodiscard]] std::optional<std::string> refusal_to_pin();

/// What lets this process start a thread that the system refused.
[[nodiscard]] std::string remedy_for_refused_thread();

/// Binds the calling thread to one processor and checks that it runs there. @throws Error if the system refuses.
void pin_to(int processor);

/// Checks that the calling thread is still bound to this processor: another process, a cpuset or hotplug may have taken
/// it away. @param processor none: it is bound to none @throws Error if not
void check_pinned_to(std::optional<int> processor);

} // namespace memtest
