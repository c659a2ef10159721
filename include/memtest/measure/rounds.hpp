#pragma once

#include <cstddef>

namespace memtest {

/// What is visited in rounds: sizes, steps of load, numbers of pages, by their places in the result.
class Visited {
public:
    virtual ~Visited() = default;

    [[nodiscard]] virtual std::size_t count() const = 0;

    /// @param done the places that need no further visit @return false when interrupted
    [[nodiscard]] virtual bool visit(std::size_t place, unsigned round, std::size_t done) = 0;

    /// Whether it needs no further visit. None is done before its first.
    [[nodiscard]] virtual bool is_done(std::size_t place) const = 0;

    /// Gives the row of a place that was visited. Called once for each, in ascending order.
    virtual void give(std::size_t place) = 0;
};

/// The first round visits every place, each further one those that are not done. So a disturbance that outlasts a visit
/// meets few visits to each. A row is given as soon as it and all before it are done. When a visit is interrupted or
/// throws, every visited place still gets its row.
/// @return whether it was not interrupted
bool visit_in_rounds(Visited& visited);

} // namespace memtest
