// The timed loop. Optimised in every build type and never instrumented (see CMakeLists.txt): the measurement is one of
// this machine code, and a test reads it back from the object file.
#include "memtest/chain/walk.hpp"

#include "memtest/base/error.hpp"

#include <algorithm>
#include <utility>

namespace memtest {
namespace {

/// One load. The compiler must assume that something else used and changed its result, so that it cannot drop, repeat,
/// widen or reorder the load along its chain. That costs no instruction. (A volatile read would do the same, but GCC
/// does not fold base + cursor into its address, and adds an addition to the path of every hop.)
std::uintptr_t load(const std::uintptr_t* address) {
    std::uintptr_t word = *address;
    asm volatile("" : "+r"(word));
    return word;
}

struct PointerHop {
    static std::uintptr_t from(const std::byte* /*base*/, std::uintptr_t cursor) {
        return load(reinterpret_cast<const std::uintptr_t*>(cursor)); // NOLINT(performance-no-int-to-ptr)
    }
};

struct IndexHop {
    static std::uintptr_t from(const std::byte* base, std::uintptr_t cursor) {
        return load(reinterpret_cast<const std::uintptr_t*>(base + cursor));
    }
};

template<class Hop, std::size_t... Chain>
[[gnu::always_inline]] inline void hop_all(const std::byte* base, std::array<std::uintptr_t, sizeof...(Chain)>& cursors,
                                           std::index_sequence<Chain...> /*chains*/) {
    ((cursors[Chain] = Hop::from(base, cursors[Chain])), ...);
}

template<class Hop, std::size_t parallel, std::size_t... Step>
[[gnu::always_inline]] inline void hop_steps(const std::byte* base, std::array<std::uintptr_t, parallel>& cursors,
                                             std::index_sequence<Step...> /*steps*/) {
    ((static_cast<void>(Step), hop_all<Hop>(base, cursors, std::make_index_sequence<parallel>{})), ...);
}

template<class Hop, std::size_t parallel>
void walk(const std::byte* base, std::uintptr_t* cursors, std::size_t hops) {
    constexpr std::size_t unrolled = std::max<std::size_t>(1, 64 / parallel);
    std::array<std::uintptr_t, parallel> at{};
    for (std::size_t chain = 0; chain < parallel; ++chain) // a copy_n goes byte by byte on RISC-V
        at[chain] = cursors[chain];
    for (; hops >= unrolled; hops -= unrolled)
        hop_steps<Hop, parallel>(base, at, std::make_index_sequence<unrolled>{});
    for (; hops > 0; --hops)
        hop_steps<Hop, parallel>(base, at, std::make_index_sequence<1>{});
    for (std::size_t chain = 0; chain < parallel; ++chain)
        cursors[chain] = at[chain];
}

template<class Hop>
void time_hops_by(const std::byte* base, std::uintptr_t& cursor, std::size_t group, std::span<std::uint64_t> readings) {
    std::uintptr_t at = cursor;
    for (std::uint64_t& reading : readings) {
        reading = ticks_after(at);
        for (std::size_t hop = 0; hop < group; ++hop)
            at = Hop::from(base, at);
    }
    cursor = at;
}

template<class Hop, std::size_t... Index>
constexpr std::array<Walk, max_parallel> walks_for(std::index_sequence<Index...> /*parallel*/) {
    return {walk<Hop, Index + 1>...};
}

} // namespace

Walk walk_function(Link link, unsigned parallel) {
    static constexpr auto pointer_walks = walks_for<PointerHop>(std::make_index_sequence<max_parallel>{});
    static constexpr auto index_walks = walks_for<IndexHop>(std::make_index_sequence<max_parallel>{});
    require(parallel >= 1 && parallel <= max_parallel, "there is a walk for this number of chains");
    return link == Link::pointer ? pointer_walks[parallel - 1] : index_walks[parallel - 1];
}

void time_hops(Link link, const std::byte* base, std::uintptr_t& cursor, std::size_t group,
               std::span<std::uint64_t> readings) {
    if (link == Link::pointer)
        time_hops_by<PointerHop>(base, cursor, group, readings);
    else
        time_hops_by<IndexHop>(base, cursor, group, readings);
}

} // namespace memtest
