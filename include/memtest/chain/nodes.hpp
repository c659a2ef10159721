#pragma once

#include "memtest/base/words.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace memtest {

/// The word of a node that holds its link: the next node's address, or its offset from the base.
enum class Link { pointer, index };

template<>
inline constexpr std::array<Word<Link>, 2> word_table<Link>{{{Link::pointer, "pointer"}, {Link::index, "index"}}};

/// A row of nodes in memory: node i lies `first + i * pitch` bytes behind the base. Base, first and pitch keep every
/// node aligned for a word. Does not own the memory.
class Nodes {
public:
    Nodes(std::byte* base, std::size_t first_bytes, std::size_t pitch_bytes, Link link) noexcept
        : first_(base + first_bytes), pitch_(pitch_bytes),
          first_link_(link == Link::pointer ? reinterpret_cast<std::uintptr_t>(first_) : first_bytes) {}

    /// The word that leads to node i.
    [[nodiscard]] std::uintptr_t link_to(std::size_t i) const noexcept { return first_link_ + i * pitch_; }

    /// Makes node `to` follow node `from`.
    void set_next(std::size_t from, std::size_t to) const noexcept { word(from) = link_to(to); }

    /// Puts node `added` between node `after` and the node that followed it.
    void insert(std::size_t added, std::size_t after) const noexcept {
        word(added) = word(after);
        word(after) = link_to(added);
    }

    /// The offset of node i's follower from node 0. Node i may hold anything: the proof judges whether this is a node.
    [[nodiscard]] std::uintptr_t next_bytes(std::size_t i) const noexcept { return word(i) - first_link_; }

    /// Prefetches node i for writing.
    void prefetch_for_writing(std::size_t i) const noexcept { __builtin_prefetch(first_ + i * pitch_, 1); }

    [[nodiscard]] std::size_t pitch() const noexcept { return pitch_; }

private:
    [[nodiscard]] std::uintptr_t& word(std::size_t i) const noexcept {
        return *reinterpret_cast<std::uintptr_t*>(first_ + i * pitch_);
    }

    std::byte* first_;
    std::size_t pitch_;
    std::uintptr_t first_link_;
};

} // namespace memtest
