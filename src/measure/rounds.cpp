#include "memtest/measure/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace memtest {

bool visit_in_rounds(std::size_t places, const VisitPlace& visit, const GivePlace& give, const TimeIsUp& time_is_up) {
    std::vector<bool> is_done(places);
    std::size_t done = 0;
    std::size_t known = 0; // places visited at least once
    std::size_t given = 0;
    const auto give_known = [&] {
        while (given < known)
            give(given++);
    };
    const auto try_visit = [&](std::size_t place, unsigned round) {
        try {
            return visit(place, round, done);
        } catch (...) {
            give_known();
            throw;
        }
    };
    for (unsigned round = 0; done < places; ++round) {
        for (std::size_t place = 0; place < places; ++place) {
            if (is_done[place])
                continue;
            if (round > 0 && time_is_up && time_is_up(places - done)) {
                give_known();
                return true;
            }
            const std::optional<bool> is_last = try_visit(place, round);
            if (!is_last) {
                give_known();
                return false;
            }
            known = std::max(known, place + 1);
            is_done[place] = *is_last;
            done += *is_last ? 1U : 0U;
            while (given < known && is_done[given])
                give(given++);
        }
    }
    return true;
}

bool measure_in_rounds(std::size_t places, unsigned rounds, const MeasurePlace& measure, const PhraseSink& phrase_sink,
                       const TimeIsUp& time_is_up) {
    return visit_in_rounds(
        places,
        [&](std::size_t place, unsigned round, std::size_t /*done*/) -> std::optional<bool> {
            phrase_sink(fmt::format("{} of {} measurements", places * round + place, places * rounds));
            return measure(place, round) ? std::optional(round + 1 == rounds) : std::nullopt;
        },
        [](std::size_t /*place*/) {}, time_is_up);
}

} // namespace memtest
