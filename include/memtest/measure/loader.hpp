#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <thread>
#include <vector>

namespace memtest {

/// How a loader treats lines.
struct LoadPattern {
    std::size_t line_bytes = 64;
    unsigned write_percent = 0; ///< of the lines get a word changed, the others are only read
};

/// The bytes that these lines move between memory and caches: each is fetched, and each changed one is written back.
[[nodiscard]] double bytes_moved(double lines, const LoadPattern& pattern);

/// Of loaders that touch no memory, but are awake: they spin.
inline constexpr std::size_t endless_pause = std::numeric_limits<std::size_t>::max();

/// Makes dependent additions in registers, of about a cycle each, and touches no memory.
void spin(std::size_t additions) noexcept;

/// Goes through memory line after line, again and again, and reads one word of each. With any instruction set this
/// takes the bandwidth of reading whole lines.
class Loader {
public:
    static constexpr std::size_t lines_in_portion = 64;

    /// @param memory at least one line, aligned for a word; must outlive this object
    Loader(std::span<std::byte> memory, const LoadPattern& pattern);

    /// Goes through the next portion of lines.
    /// @param pause in dependent additions of about a cycle each, spread evenly between the lines
    void load_portion(std::size_t pause) noexcept;

    /// From the next portion on.
    void set_write_percent(unsigned percent) noexcept { pattern_.write_percent = percent; }

    [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; } ///< gone through so far

private:
    std::byte* first_;
    std::byte* end_;
    std::byte* at_;
    LoadPattern pattern_;
    unsigned unwritten_percent_ = 0; // of a line, left over for the next one that is changed
    std::uint64_t lines_ = 0;
};

/// Keeps processors awake but silent: a thread on each spins in registers for as long as this object lives.
class AwakeCores {
public:
    /// Returns when all threads run where they should. @throws Error where the system refuses a thread
    explicit AwakeCores(const std::vector<int>& processors);

private:
    std::vector<std::jthread> threads_;
};

} // namespace memtest
