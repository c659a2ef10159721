#pragma once

#include "memtest/chain/cycle.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace memtest {

/// How many chains can be walked side by side.
inline constexpr unsigned max_parallel = 32;

/// Follows `hops` links along each of several chains, one hop of each in turn. This is the timed loop: one load per
/// hop, whose address comes from the load before it in the same chain.
/// @param base of index links
/// @param cursors one per chain: the link to its current node; moved on
using Walk = void (*)(const std::byte* base, std::uintptr_t* cursors, std::size_t hops);

/// The loop for this kind of link and number of chains (1 to max_parallel). With more chains than the processor has
/// registers for, cursors live on the stack, which adds a few cycles to every hop.
[[nodiscard]] Walk walk_function(Link link, unsigned parallel);

/// Follows pointer links by groups of hops, with a reading of the processor's own counter ahead of each group.
/// @param cursor moved on @param readings filled in the order of time: one group lies between two
void time_hops(std::uintptr_t& cursor, std::size_t group, std::span<std::uint64_t> readings);

} // namespace memtest
