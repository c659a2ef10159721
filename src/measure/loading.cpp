#include "memtest/measure/loading.hpp"

#include "memtest/machine/arena.hpp"

#include <chrono>
#include <thread>
#include <utility>

namespace memtest {
namespace {

/// Loads for as long as the walker prepares and measures.
class LoadingMember : public TeamMember {
public:
    LoadingMember(const TeamPlan& plan, const Seat& seat, const SystemFiles& files,
                  const std::atomic<bool>& interrupted, LoadBoard& board)
        : seat_(taken(seat)), arena_(area_of(seat, plan.area_bytes, plan.pages, files, interrupted)),
          facts_{.pages = arena_.granted(files),
                 .node_verified = !interrupted && is_verified_on_node(arena_, seat.node)},
          loader_(arena_.memory(), board.pattern), board_(board), published_(board.published.at(seat.number - 1)) {}

    [[nodiscard]] ThreadFacts facts() override { return facts_; }
    void stay_warm() override { load(); }
    void walk_on() override { load(); }

private:
    void load() {
        constexpr std::size_t additions_between_looks = 1024; // as long as a loader takes for some lines
        if (!board_.pause)
            return std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (*board_.pause == endless_pause)
            return spin(additions_between_looks);
        loader_.set_write_percent(board_.pattern.write_percent);
        constexpr int portions_between_looks = 16;
        for (int portion = 0; portion < portions_between_looks; ++portion) {
            loader_.load_portion(*board_.pause);
            published_.lines.store(loader_.lines(), std::memory_order_relaxed);
        }
    }

    Seat seat_; // first, so that the memory comes from that processor's node
    Arena arena_;
    ThreadFacts facts_;
    Loader loader_;
    LoadBoard& board_;
    PublishedLines& published_;
};

} // namespace

LoadLook look_at(const LoadBoard& board, Clock& clock) {
    LoadLook seen{.at_ns = clock.now_ns(), .lines = {}};
    for (const PublishedLines& loader : board.published)
        seen.lines.push_back(loader.lines.load(std::memory_order_relaxed));
    return seen;
}

std::vector<double> rates_between(const LoadLook& before, const LoadLook& after) {
    std::vector<double> lines_per_ns;
    for (std::size_t loader = 0; loader < before.lines.size(); ++loader)
        lines_per_ns.push_back(static_cast<double>(after.lines[loader] - before.lines[loader]) /
                               static_cast<double>(after.at_ns - before.at_ns));
    return lines_per_ns;
}

MakeMember beside_loaders(const TeamPlan& plan, const SystemFiles& files, const std::atomic<bool>& interrupted,
                          LoadBoard& board, std::function<std::unique_ptr<TeamMember>(const Seat&)> make_first) {
    return [plan, files, &interrupted, &board,
            make_first = std::move(make_first)](std::size_t number) -> std::unique_ptr<TeamMember> {
        const Seat seat = seat_of(plan, number);
        if (number == 0)
            return make_first(seat);
        return std::make_unique<LoadingMember>(plan, seat, files, interrupted, board);
    };
}

} // namespace memtest
