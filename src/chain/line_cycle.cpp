#include "memtest/chain/line_cycle.hpp"

#include "memtest/base/error.hpp"
#include "memtest/chain/chains.hpp"
#include "memtest/chain/cycle.hpp"
#include "memtest/chain/random.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace memtest {

std::vector<std::size_t> lines_of(const Segments& segments, std::size_t memory_lines, std::uint64_t seed) {
    const bool is_backward = segments.stride_lines < 0;
    const auto stride = static_cast<std::size_t>(is_backward ? -segments.stride_lines : segments.stride_lines);
    const std::size_t part = memory_lines / segments.count / 2 * 2; // so that each part begins at an even line
    const std::size_t span = (segments.lines - 1) * stride;
    require(segments.lines > 0 && span + 2 <= part, "a segment fits into its part of the memory");
    SplitMix64 random(seed);
    std::vector<std::size_t> order(segments.count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t left = order.size(); left > 1; --left) // std::shuffle differs between standard libraries
        std::swap(order[left - 1], order[static_cast<std::size_t>(random.below(left))]);
    std::vector<std::size_t> lines;
    for (const std::size_t place : order) {
        std::size_t line =
            place * part + (is_backward ? span : 0) + static_cast<std::size_t>(random.below(part - span - 1));
        const bool is_odd = line % 2 == 1;
        if (segments.start == (is_odd ? Segments::Start::even_line : Segments::Start::odd_line))
            ++line;
        for (std::size_t i = 0; i < segments.lines; ++i)
            lines.push_back(is_backward ? line - i * stride : line + i * stride);
    }
    return lines;
}

LineCycle::LineCycle(std::span<std::byte> memory, std::size_t line_bytes, std::span<const std::size_t> lines, Link link)
    : base_(memory.data()), walk_(walk_function(link, 1)) {
    require(!lines.empty() && (std::ranges::max(lines) + 1) * line_bytes <= memory.size(),
            "the lines lie in the memory");
    const Nodes nodes(base_, 0, line_bytes, link);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        nodes.set_next(lines[i], lines[(i + 1) % lines.size()]);
        lines_.push_back(base_ + lines[i] * line_bytes);
    }
    cursor_ = nodes.link_to(lines.front());
}

std::uintptr_t LineCycle::walk(std::size_t hops) noexcept {
    constexpr std::size_t most_in_plain_loop = 63; // of walk(): longer ones have 64 loads in the loop
    for (std::size_t left = hops; left > 0;) {
        const std::size_t now = std::min(left, most_in_plain_loop);
        walk_(base_, &cursor_, now);
        left -= now;
    }
    return cursor_;
}

bool LineCycle::flush() const noexcept {
    return flush_lines(lines_);
}

} // namespace memtest
