#include "memtest/measure/rounds.hpp"

namespace memtest {
namespace {

/// Rounds under way.
class Rounds {
public:
    explicit Rounds(Visited& visited) : visited_(visited) {}

    bool run() {
        for (unsigned round = 0; done_ < visited_.count(); ++round) {
            if (!visit_all(round)) {
                give_to(known_);
                return false;
            }
        }
        return true;
    }

private:
    bool visit_all(unsigned round) {
        for (std::size_t place = 0; place < visited_.count(); ++place) {
            if (visited_.is_done(place))
                continue;
            if (!visit(place, round))
                return false;
            known_ = round == 0 ? place + 1 : known_;
            if (visited_.is_done(place)) {
                ++done_;
                give_done();
            }
        }
        return true;
    }

    bool visit(std::size_t place, unsigned round) {
        try {
            return visited_.visit(place, round, done_);
        } catch (...) {
            give_to(known_);
            throw;
        }
    }

    void give_done() {
        while (given_ < known_ && visited_.is_done(given_))
            visited_.give(given_++);
    }

    void give_to(std::size_t end) {
        while (given_ < end)
            visited_.give(given_++);
    }

    Visited& visited_;
    std::size_t done_ = 0;
    std::size_t known_ = 0; // places visited at least once
    std::size_t given_ = 0;
};

} // namespace

bool visit_in_rounds(Visited& visited) {
    return Rounds(visited).run();
}

} // namespace memtest
