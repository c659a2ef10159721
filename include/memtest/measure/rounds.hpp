#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace memtest {

/// Visits a place of the result: a size, a step of load, a number of pages.
/// @param done places that need no further visit @return whether this one needs none; std::nullopt if interrupted
using VisitPlace = std::function<std::optional<bool>(std::size_t place, unsigned round, std::size_t done)>;

/// Gives the row of a visited place. Called once for each, in ascending order.
using GivePlace = std::function<void(std::size_t place)>;

/// Whether the time is up. Asked before every visit but the first to each place, with the number of places that would
/// get further ones; empty: it never is.
using TimeIsUp = std::function<bool(std::size_t places_left)>;

/// The first round visits every place, each further one those that need another visit. So a disturbance that outlasts a
/// visit affects few visits to each place. A row is given as soon as it and all before it are done. If a visit is
/// interrupted or throws, every visited place still gets its row. Once the time is up no place is visited again.
/// @return whether it was not interrupted
bool visit_in_rounds(std::size_t places, const VisitPlace& visit, const GivePlace& give,
                     const TimeIsUp& time_is_up = nullptr);

/// Called before visits with a phrase on the current work, for people.
using PhraseSink = std::function<void(const std::string& phrase)>;

/// Measures a place. @return false if interrupted
using MeasurePlace = std::function<bool(std::size_t place, unsigned round)>;

/// Measures every place as many times, in rounds, or as often as the time allows. @return whether it was not
/// interrupted
bool measure_in_rounds(std::size_t places, unsigned rounds, const MeasurePlace& measure, const PhraseSink& phrase_sink,
                       const TimeIsUp& time_is_up = nullptr);

} // namespace memtest
