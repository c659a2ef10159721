#pragma once

#include "memtest/base/words.hpp"

#include <array>

namespace memtest {

/// In which order a chain goes through its lines.
enum class Order {
    backward, ///< back by a stride
    forward,  ///< on by a stride
    random,   ///< one uniformly random cycle
};

template<>
inline constexpr std::array<Word<Order>, 3> word_table<Order>{
    {{Order::backward, "backward"}, {Order::forward, "forward"}, {Order::random, "random"}}};

} // namespace memtest
