#pragma once

#include "support/test.hpp"

namespace memtest {

/// A word-aligned piece of memory for chains, filled with a pattern that is no valid link.
class Area {
public:
    explicit Area(std::size_t bytes)
        : words_((bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t), 0xa5a5a5a5a5a5a5a5U), bytes_(bytes) {}

    [[nodiscard]] std::span<std::byte> memory() { return std::as_writable_bytes(std::span(words_)).first(bytes_); }

private:
    std::vector<std::uint64_t> words_;
    std::size_t bytes_;
};

} // namespace memtest
