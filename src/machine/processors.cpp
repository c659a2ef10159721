#include "memtest/machine/processors.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/machine/cpu_name.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <initializer_list>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

/// A processor mask of any size, in pieces: one cpu_set_t ends at 1024 processors.
using Mask = std::vector<cpu_set_t>;

std::size_t bytes_of(const Mask& mask) {
    return mask.size() * sizeof(cpu_set_t);
}

bool are_alike(const Cache& a, const Cache& b) {
    return a.level == b.level && a.data_only == b.data_only && a.size_bytes == b.size_bytes &&
           a.line_bytes == b.line_bytes && a.shared_by.size() == b.shared_by.size();
}

/// The processors that share the last-level cache; empty if unknown.
std::vector<int> sharers_of_last_cache(const Processor& p) {
    return p.caches.empty() || p.caches.back().level < 2 ? std::vector<int>{} : p.caches.back().shared_by;
}

/// Binds the calling thread to these processors. @return why the system refuses; std::nullopt if it does not
std::optional<std::string> refusal_to_bind(const std::vector<int>& processors) {
    Mask mask(static_cast<std::size_t>(std::ranges::max(processors)) / CPU_SETSIZE + 1);
    for (const int processor : processors)
        CPU_SET_S(static_cast<std::size_t>(processor), bytes_of(mask), mask.data());
    if (sched_setaffinity(0, bytes_of(mask), mask.data()) == 0)
        return std::nullopt;
    return system_reason();
}

/// The type of each processor for which a PMU of hybrid x86 counts.
std::map<int, std::string> read_pmu_types(const SystemFiles& files) {
    std::map<int, std::string> types;
    for (const auto& [pmu, type] :
         {std::pair("cpu_core", "P-core"), std::pair("cpu_atom", "E-core"), std::pair("cpu_lowpower", "LP-E-core")}) {
        const std::string path = fmt::format("/sys/bus/event_source/devices/{}/cpus", pmu);
        for (const int id : parse_distinct_ids(files.line(path).value_or("")).value_or(std::vector<int>{}))
            types.emplace(id, type);
    }
    return types;
}

/// What all processors of a core or package have in common: a list that has this one, else the ids together; empty if
/// the last id is unknown. That alone is not enough: clusters, dies and books count their cores anew.
std::string place_of(int processor, std::initializer_list<const char*> lists, const std::vector<const char*>& ids,
                     const SystemFiles& files) {
    const auto line = [&](const char* name) {
        return files.line(fmt::format("/sys/devices/system/cpu/cpu{}/topology/{}", processor, name)).value_or("");
    };
    if (!leading_number(line(ids.back()))) // or it is -1
        return "";
    for (const char* name : lists) {
        const auto list = parse_distinct_ids(line(name));
        if (list && std::ranges::count(*list, processor) > 0)
            return line(name);
    }
    return joined(ids, " ", line);
}

// No cache is as large; some hypervisors and firmwares report 2^32 - 1 KiB or odd lines.
constexpr std::uint64_t largest_cache = std::uint64_t{16} << 30U;
constexpr std::uint64_t longest_line = 4096;
constexpr std::uint64_t highest_level = 9;

/// The caches that s390x describes in /proc/cpuinfo alone (arch/s390/kernel/cache.c of Linux), for all processors:
/// "level=3 type=Unified scope=Shared size=262144K line_size=256 associativity=16".
std::vector<Cache> read_shared_caches(const SystemFiles& files) {
    std::vector<Cache> caches;
    for (int index = 0; auto text = files.field("/proc/cpuinfo", fmt::format("cache{}", index)); ++index) {
        std::ranges::replace(*text, '=', ' ');
        std::istringstream words(*text);
        std::string key, type, scope, size; // NOLINT(readability-isolate-declaration)
        Cache cache;
        words >> key >> cache.level >> key >> type >> key >> scope >> key >> size >> key >> cache.line_bytes;
        cache.size_bytes = parse_human_size(size).value_or(0);
        if (scope == "Shared" && cache.size_bytes > 0 && cache.size_bytes <= largest_cache)
            caches.push_back(cache);
    }
    return caches;
}

/// The number in a file; 0 if it is above the limit, too.
std::uint64_t number_up_to(std::uint64_t limit, const std::string& path, const SystemFiles& files) {
    const std::uint64_t number = files.number(path).value_or(0);
    return number <= limit ? number : 0;
}

/// The number in a file, if any but 0.
std::optional<std::uint64_t> positive_number(const std::string& path, const SystemFiles& files) {
    const auto number = files.number(path);
    return number == 0U ? std::nullopt : number;
}

std::vector<Cache> read_caches(const SystemFiles& files, int processor, const std::vector<Cache>& shared) {
    const std::string directory = fmt::format("/sys/devices/system/cpu/cpu{}/cache", processor);
    std::vector<Cache> caches;
    for (const std::string& index : files.names(directory)) {
        const auto file = [&](std::string_view name) { return fmt::format("{}/{}/{}", directory, index, name); };
        const std::string type = files.line(file("type")).value_or("");
        const std::uint64_t size = parse_human_size(files.line(file("size")).value_or("")).value_or(0);
        if ((type != "Data" && type != "Unified") || size == 0 || size > largest_cache)
            continue;
        const std::uint64_t line = number_up_to(longest_line, file("coherency_line_size"), files);
        caches.push_back({.level = static_cast<int>(number_up_to(highest_level, file("level"), files)),
                          .data_only = type == "Data",
                          .size_bytes = size,
                          .line_bytes = std::has_single_bit(line) ? static_cast<std::size_t>(line) : 0,
                          .shared_by = parse_distinct_ids(files.line(file("shared_cpu_list")).value_or(""))
                                           .value_or(std::vector<int>{processor})});
    }
    std::ranges::sort(caches, {}, &Cache::level);
    for (const Cache& cache : shared) {
        if (caches.empty() || cache.level > caches.back().level)
            caches.push_back(cache);
    }
    return caches;
}

/// Whether the kernel gives the identity of the core that reads it, once, as those of Arm before 3.19: where clocks
/// differ, it may be wrong.
bool names_one_core_for_all(const SystemFiles& files) {
    const std::string info = files.text("/proc/cpuinfo").value_or("");
    const std::size_t part = info.find("\nCPU part");
    return part != std::string::npos && info.find("\nCPU part", part + 1) == std::string::npos;
}

} // namespace

std::string cache_name(const Cache& cache) {
    return fmt::format("L{}{}", cache.level, cache.data_only ? "d" : "");
}

std::vector<Processor> read_processors(const SystemFiles& files, const std::vector<int>& ids) {
    std::vector<Processor> processors;
    std::vector<std::string> names = read_cpu_names(files, ids);
    std::map<int, std::string> types = read_pmu_types(files);
    const std::vector<Cache> shared_caches = read_shared_caches(files);
    std::map<std::string, int> first_in; // each package and core
    for (const int id : ids) {
        const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}", id);
        const std::string package =
            place_of(id, {"package_cpus_list", "core_siblings_list"}, {"physical_package_id"}, files);
        const std::string core = place_of(id, {"core_cpus_list", "thread_siblings_list"},
                                          {"physical_package_id", "die_id", "cluster_id", "core_id"}, files);
        processors.push_back({.id = id,
                              .package = first_in.try_emplace("package " + package, id).first->second,
                              .core = core.empty() ? id : first_in.try_emplace(core, id).first->second,
                              .caches = read_caches(files, id, shared_caches),
                              .name = std::move(names[processors.size()]),
                              .type = types[id],
                              .capacity = positive_number(folder + "/cpu_capacity", files),
                              .max_khz = positive_number(folder + "/cpufreq/cpuinfo_max_freq", files)});
    }
    const auto differs = [&](const Processor& p) { return p.max_khz != processors.front().max_khz; };
    if (std::ranges::any_of(processors, differs) && names_one_core_for_all(files))
        std::ranges::for_each(processors, [](Processor& p) { p.name.clear(); });
    return processors;
}

std::vector<Processor> with_ids(const std::vector<Processor>& processors, const std::vector<int>& ids) {
    std::vector<Processor> chosen;
    for (const int id : ids)
        chosen.push_back(*std::ranges::find(processors, id, &Processor::id));
    return chosen;
}

std::uint64_t last_cache_bytes(const std::vector<Processor>& processors) {
    std::uint64_t bytes = 0;
    for (const Processor& processor : processors) {
        if (!processor.caches.empty())
            bytes = std::max(bytes, processor.caches.back().size_bytes);
    }
    return bytes;
}

std::uint64_t largest_cache_bytes(const std::vector<ReportedCache>& caches) {
    const auto largest = std::ranges::max_element(caches, {}, &ReportedCache::size_bytes);
    return largest == caches.end() ? 0 : largest->size_bytes;
}

std::uint64_t last_cache_bytes(const SystemFiles& files, int processor) {
    return last_cache_bytes({{.id = processor, .caches = read_caches(files, processor, read_shared_caches(files))}});
}

std::vector<Cache> caches_in_common(const std::vector<Processor>& processors) {
    std::vector<Cache> common;
    for (const Cache& cache : processors.front().caches) {
        const bool all_have_it = std::ranges::all_of(processors, [&cache](const Processor& p) {
            return std::ranges::any_of(p.caches, [&cache](const Cache& other) { return are_alike(cache, other); });
        });
        if (all_have_it)
            common.push_back(cache);
    }
    return common;
}

std::optional<std::size_t> line_bytes_of(const std::vector<Processor>& processors, int id) {
    const auto processor = std::ranges::find(processors, id, &Processor::id);
    if (processor == processors.end())
        return std::nullopt;
    const auto known =
        std::ranges::find_if(processor->caches, [](const Cache& cache) { return cache.line_bytes != 0; });
    return known == processor->caches.end() ? std::nullopt : std::optional(known->line_bytes);
}

std::vector<int> choose_processors(const std::vector<Processor>& allowed, int current, std::size_t count) {
    if (count > allowed.size())
        throw usage_error(fmt::format("--threads {}: one processor per thread is needed, and {} may be used here; "
                                      "give at most {}",
                                      count, allowed.size(), counted(allowed.size(), "thread")));
    std::vector<Processor> in_order = allowed;
    const auto first = std::ranges::find(in_order, current, &Processor::id);
    if (first != in_order.end())
        std::rotate(in_order.begin(), first, first + 1);

    std::vector<int> chosen = on_other_cores(in_order, {});
    for (const Processor& p : in_order) {
        if (std::ranges::count(chosen, p.id) == 0)
            chosen.push_back(p.id);
    }
    chosen.resize(count);
    return chosen;
}

std::vector<int> on_other_cores(const std::vector<Processor>& allowed, const std::vector<int>& used) {
    std::set<int> cores;
    for (const Processor& processor : with_ids(allowed, used))
        cores.insert(processor.core);
    std::vector<int> others;
    for (const Processor& processor : allowed) {
        if (cores.insert(processor.core).second)
            others.push_back(processor.id);
    }
    return others;
}

std::size_t physical_cores(const std::vector<Processor>& processors) {
    return on_other_cores(processors, {}).size();
}

Relation relation(const std::vector<Processor>& processors) {
    const Processor& first = processors.front();
    const auto all_share = [&](auto with_first) { return std::ranges::all_of(processors, with_first); };
    if (all_share([&](const Processor& p) { return p.core == first.core; }))
        return Relation::same_core;
    const std::vector<int> sharers = sharers_of_last_cache(first);
    if (all_share([&](const Processor& p) { return std::ranges::count(sharers, p.id) > 0; }))
        return Relation::same_last_cache;
    if (all_share([&](const Processor& p) { return p.package == first.package; }))
        return Relation::same_package;
    return Relation::different_packages;
}

std::vector<int> allowed_processors() {
    for (std::size_t pieces = 1; pieces <= 1024; pieces *= 2) {
        Mask mask(pieces);
        if (sched_getaffinity(0, bytes_of(mask), mask.data()) == 0) {
            std::vector<int> ids;
            for (std::size_t id = 0; id < pieces * CPU_SETSIZE; ++id) {
                if (CPU_ISSET_S(id, bytes_of(mask), mask.data()))
                    ids.push_back(static_cast<int>(id));
            }
            return ids;
        }
        if (errno != EINVAL) // EINVAL: the kernel's mask is longer
            break;
    }
    // Refused (by a seccomp filter, say). Only the current processor is known to be allowed.
    return {current_processor()};
}

int current_processor() {
    return std::max(0, sched_getcpu());
}

std::optional<std::string> refusal_to_pin() {
    return refusal_to_bind(allowed_processors());
}

std::string remedy_for_refused_thread() {
    constexpr int deadline = 6; // SCHED_DEADLINE, which some headers lack
    return sched_getscheduler(0) == deadline
               ? "a process with a deadline cannot start threads, so run it without one (chrt -d)"
               : "use fewer threads, or raise the limit (ulimit -u, -v and -d, control group)";
}

void pin_to(int processor) {
    if (const auto refusal = refusal_to_bind({processor}))
        throw Error(fmt::format("cannot run on processor {}: {}", processor, *refusal));
    if (const int found = current_processor(); found != processor)
        throw Error(fmt::format("bound to processor {}, but running on {}", processor, found));
}

void check_pinned_to(std::optional<int> processor) {
    if (!processor)
        return;
    const std::vector<int> allowed = allowed_processors();
    if (current_processor() != *processor || allowed != std::vector{*processor})
        throw Error(fmt::format("processor {} was taken away during the run, which may now use {} (taskset, cpuset or "
                                "hotplug); repeat it while nothing changes that",
                                *processor, format_ids(allowed)));
}

} // namespace memtest
