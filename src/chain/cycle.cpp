#include "memtest/chain/cycle.hpp"

#include "memtest/base/error.hpp"

#include <algorithm>

namespace memtest {
namespace {

void link_backward(const Nodes& nodes, std::size_t stride, std::size_t linked, std::size_t count) {
    const std::size_t passes = std::min(stride, count);
    const auto last_of_pass = [&](std::size_t pass) { return pass + (count - 1 - pass) / stride * stride; };
    for (std::size_t pass = 0; pass < passes; ++pass)
        nodes.set_next(pass, last_of_pass(pass == 0 ? passes - 1 : pass - 1));
    for (std::size_t i = std::max(linked, passes); i < count; ++i)
        nodes.set_next(i, i - stride);
}

void link_forward(const Nodes& nodes, std::size_t stride, std::size_t linked, std::size_t count) {
    const std::size_t passes = std::min(stride, count);
    const std::size_t ends = count - passes; // from here on, nodes are the last of their pass
    for (std::size_t i = linked - std::min(linked, stride); i < ends; ++i)
        nodes.set_next(i, i + stride);
    for (std::size_t i = ends; i < count; ++i)
        nodes.set_next(i, (i % stride + 1) % passes);
}

} // namespace

void link_stride_cycle(const Nodes& nodes, Order order, std::size_t stride, std::size_t linked, std::size_t count) {
    require(stride > 0 && linked <= count && order != Order::random, "a stride cycle has a stride and never shrinks");
    if (linked == count)
        return;
    if (order == Order::backward)
        link_backward(nodes, stride, linked, count);
    else
        link_forward(nodes, stride, linked, count);
}

void RandomCycle::grow_to(std::size_t count) {
    // A new node goes after one anywhere in memory. Drawing and prefetching that one this far ahead lets its cache
    // miss, and with small pages its page walk, overlap with others. Measured at 1 GiB on a Zen 4 server: with 4 KiB
    // pages 26, 22 and 20 ns per node for 32, 64 and 128 ahead, with 2 MiB pages 11 to 12 for each.
    constexpr std::size_t ahead = 128;
    std::array<std::size_t, ahead> place{};

    std::size_t drawn = linked_;
    for (; linked_ < count; ++linked_) {
        for (; drawn < count && drawn - linked_ < ahead; ++drawn) {
            place[drawn % ahead] = draw_place_of(drawn);
            nodes_.prefetch_for_writing(place[drawn % ahead]);
        }
        if (linked_ == 0)
            nodes_.set_next(0, 0);
        else
            nodes_.insert(linked_, place[linked_ % ahead]);
        if (place[linked_ % ahead] == last_)
            last_ = linked_;
    }
}

std::size_t RandomCycle::draw_place_of(std::size_t added) {
    if (added == 0)
        return 0;
    if (added - block_first_ == block_nodes_) {
        block_first_ = added;
        behind_block_of_ = static_cast<std::size_t>(random_.below(added / block_nodes_)) * block_nodes_;
        return behind_block_of_;
    }
    const auto drawn = block_first_ + static_cast<std::size_t>(random_.below(added - block_first_));
    return drawn == block_first_ ? behind_block_of_ : drawn;
}

bool is_single_lap(const Nodes& nodes, std::size_t count, std::uintptr_t end, std::size_t most_hops) {
    std::size_t at = 0;
    for (std::size_t hop = 1; hop <= count; ++hop) {
        if (hop > most_hops)
            return true;
        const std::uintptr_t link = nodes.link_of(at);
        if (link == end)
            return hop == count; // so many hops without node 0 between them have met that many different nodes
        const std::uintptr_t bytes = link - nodes.link_to(0);
        if (bytes == 0 || bytes % nodes.pitch() != 0 || bytes / nodes.pitch() >= count)
            return false;
        at = bytes / nodes.pitch();
    }
    return false; // ran into a cycle
}

} // namespace memtest
