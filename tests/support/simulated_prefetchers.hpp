#pragma once

#include "memtest/chain/random.hpp"
#include "memtest/measure/prefetch.hpp"
#include "support/test.hpp"

namespace memtest {

/// What a simulated processor fetches besides the lines that are accessed.
struct SimulatedPrefetchers {
    std::size_t most_stride_lines = 0; ///< of the load's prefetcher, which fetches on after two equal strides; 0: none
    bool crosses_pages = false;        ///< a stride is followed into another page of 4 KiB
    bool pairs = false;                ///< the other line of an aligned pair comes along
    bool next_line = false;
    std::size_t learned_lines = 0; ///< pairs of successive lines that a temporal prefetcher's table holds; 0: none
    bool addresses = false;        ///< that fetched lines hold are fetched as well
    double disturbed = 0;          ///< this share of the walks takes ten times as long
};

/// A cache that holds all lines since the last flush, with prefetchers whose lines come in time.
class SimulatedCache {
public:
    SimulatedCache(const SimulatedPrefetchers& prefetchers, std::size_t memory_lines)
        : prefetchers_(prefetchers), fetched_in_(memory_lines + 128), successors_(memory_lines + 128, unknown) {}

    static constexpr double hit_ns = 5;
    static constexpr double miss_ns = 100;

    void flush() { ++flushes_; }

    /// @param next the line that this one's link leads to @return the time of the access
    double access(std::size_t line, std::size_t next, Link link) {
        const bool is_hit = fetched_in_[line] == flushes_;
        fetch(line);
        if (prefetchers_.pairs)
            fetch(line ^ 1U);
        if (prefetchers_.next_line)
            fetch(line + 1);
        if (prefetchers_.addresses && link == Link::pointer)
            fetch(next);
        follow_stride(line);
        learn(line);
        return is_hit ? hit_ns : miss_ns;
    }

private:
    static constexpr std::size_t unknown = ~std::size_t{0};

    void fetch(std::size_t line) {
        if (line < fetched_in_.size())
            fetched_in_[line] = flushes_;
    }

    void follow_stride(std::size_t line) {
        const auto stride = static_cast<std::ptrdiff_t>(line - last_);
        const auto length = static_cast<std::size_t>(stride < 0 ? -stride : stride);
        if (stride == stride_ && length > 0 && length <= prefetchers_.most_stride_lines) {
            const std::size_t ahead = line + static_cast<std::size_t>(stride);
            if (prefetchers_.crosses_pages || ahead / 64 == line / 64)
                fetch(ahead);
        }
        stride_ = stride;
    }

    void learn(std::size_t line) {
        if (prefetchers_.learned_lines > 0) {
            if (successors_[last_] == unknown && order_.size() < prefetchers_.learned_lines) {
                order_.push_back(last_);
            } else if (successors_[last_] == unknown) { // first in, first out
                successors_[order_[oldest_]] = unknown;
                order_[oldest_] = last_;
                oldest_ = (oldest_ + 1) % order_.size();
            }
            successors_[last_] = line;
            if (successors_[line] != unknown)
                fetch(successors_[line]);
        }
        last_ = line;
    }

    SimulatedPrefetchers prefetchers_;
    std::vector<unsigned> fetched_in_; // the number of flushes before, for each line
    unsigned flushes_ = 1;
    std::vector<std::size_t> successors_;
    std::vector<std::size_t> order_;
    std::size_t oldest_ = 0;
    std::size_t last_ = 0;
    std::ptrdiff_t stride_ = 0;
};

/// Walks patterns over a simulated cache.
class SimulatedPatterns : public PatternProbe {
public:
    explicit SimulatedPatterns(const SimulatedPrefetchers& prefetchers)
        : prefetchers_(prefetchers), cache_(prefetchers, memory_lines) {}

    [[nodiscard]] std::optional<double> walk(const PatternWalk& walk) override {
        const auto lines = lines_of(walk.segments, memory_lines, ++walks_);
        double lap_ns = 0;
        for (unsigned lap = 0; lap < walk.lap; ++lap) {
            cache_.flush();
            lap_ns = 0;
            for (std::size_t i = 0; i < lines.size(); ++i)
                lap_ns += cache_.access(lines[i], lines[(i + 1) % lines.size()], walk.link);
        }
        const double slower = static_cast<double>(random_.below(1000)) < 1000 * prefetchers_.disturbed ? 10 : 1;
        return slower * lap_ns / static_cast<double>(lines.size());
    }

private:
    static inline const std::size_t memory_lines = least_pattern_bytes(1, 64);

    SimulatedPrefetchers prefetchers_;
    SimulatedCache cache_;
    SplitMix64 random_{7};
    std::uint64_t walks_ = 0;
};

} // namespace memtest
