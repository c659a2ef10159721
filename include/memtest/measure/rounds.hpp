#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace memtest {

/// Visits a place of the result: a size, a step of load, a number of pages. Gives whether it needs no further visit, or
/// nothing when interrupted. @param done the places that need none
using VisitPlace = std::function<std::optional<bool>(std::size_t place, unsigned round, std::size_t done)>;

/// Gives the row of a place that was visited. Called once for each, in ascending order.
using GivePlace = std::function<void(std::size_t place)>;

/// The first round visits every place, each further one those that are not done. So a disturbance that outlasts a visit
/// meets few visits to each. A row is given as soon as it and all before it are done. When a visit is interrupted or
/// throws, every visited place still gets its row.
/// @return whether it was not interrupted
bool visit_in_rounds(std::size_t places, const VisitPlace& visit, const GivePlace& give);

} // namespace memtest
