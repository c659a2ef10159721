#pragma once

#include "memtest/machine/clock.hpp"

#include <cstdint>

namespace memtest {

/// A clock that only advance() and the cost of its readings move on.
class FakeClock : public Clock {
public:
    explicit FakeClock(std::uint64_t cost_ns = 0, std::uint64_t tick_ns = 1) : cost_ns_(cost_ns), tick_ns_(tick_ns) {}

    [[nodiscard]] std::uint64_t now_ns() override {
        now_ns_ += cost_ns_;
        return now_ns_ / tick_ns_ * tick_ns_;
    }

    void advance(std::uint64_t ns) { now_ns_ += ns; }

private:
    std::uint64_t now_ns_ = 1'000'000;
    std::uint64_t cost_ns_;
    std::uint64_t tick_ns_;
};

} // namespace memtest
