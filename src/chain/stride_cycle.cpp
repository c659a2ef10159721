#include "memtest/chain/stride_cycle.hpp"

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

} // namespace memtest
