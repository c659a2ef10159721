#include "memtest/measure/load_generator.hpp"

#include "memtest/base/error.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/machine/processors.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <future>
#include <numeric>
#include <stop_token>
#include <system_error>
#include <utility>

namespace memtest {
namespace {

void stay_awake(const std::stop_token& stop, int processor, std::atomic<bool>& is_abandoned, std::promise<void> bound) {
    try {
        pin_to(processor);
        bound.set_value();
    } catch (...) {
        return bound.set_exception(std::current_exception());
    }
    constexpr std::size_t additions_between_looks = std::size_t{1} << 16U; // some 20 us
    while (!stop.stop_requested()) {
        spin(additions_between_looks);
        if (current_processor() != processor)
            is_abandoned = true;
    }
}

/// Generates load for as long as the walker prepares and measures.
class LoadThread : public TeamMember {
public:
    LoadThread(const TeamPlan& plan, const Placement& placement, const SystemFiles& files,
               const std::atomic<bool>& interrupted, LoadBoard& board)
        : placement_(bound_to(placement)), arena_(area_of(placement, plan.area_bytes, plan.pages, files, interrupted)),
          facts_{.pages = arena_.granted(files),
                 .node_verified = !interrupted && is_verified_on_node(arena_, placement.node)},
          generator_(arena_.memory(), board.pattern), board_(board),
          published_(board.published.at(placement.number - 1)) {}

    [[nodiscard]] ThreadFacts facts() override { return facts_; }
    [[nodiscard]] std::optional<int> processor() const override { return placement_.processor; }
    void stay_warm() override { load(); }
    void walk_on() override { load(); }

private:
    void load() {
        constexpr std::size_t additions_between_looks = 1024; // as long as a load thread takes for some lines
        if (!board_.pause)
            return std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (*board_.pause == endless_pause)
            return spin(additions_between_looks);
        generator_.set_write_percent(board_.pattern.write_percent);
        constexpr int portions_between_looks = 16;
        for (int portion = 0; portion < portions_between_looks; ++portion) {
            generator_.load_portion(*board_.pause);
            published_.lines.store(generator_.lines(), std::memory_order_relaxed);
        }
    }

    Placement placement_; // first, so that the memory comes from that processor's node
    Arena arena_;
    ThreadFacts facts_;
    LoadGenerator generator_;
    LoadBoard& board_;
    PublishedLines& published_;
};

} // namespace

void spin(std::size_t additions) noexcept {
    for (; additions > 0; --additions)
        asm volatile("" : "+r"(additions)); // neither dropped nor merged into one
}

double bytes_moved(double lines, const LoadPattern& pattern) {
    return lines * static_cast<double>(pattern.line_bytes) * (1 + pattern.write_percent / 100.0);
}

LoadGenerator::LoadGenerator(std::span<std::byte> memory, const LoadPattern& pattern)
    : first_(memory.data()), end_(first_ + memory.size() / pattern.line_bytes * pattern.line_bytes), at_(first_),
      pattern_(pattern) {
    require(first_ != end_, "a load thread has a line to read");
}

void LoadGenerator::load_portion(std::size_t pause) noexcept {
    std::byte* at = at_;
    unsigned unwritten_percent = unwritten_percent_;
    std::size_t waited = 0;
    constexpr std::size_t long_pause = std::size_t{1} << 16U;
    const std::size_t lines = pause > long_pause ? lines_in_portion / 16 : lines_in_portion;
    for (std::size_t line = 1; line <= lines; ++line) {
        auto* word = reinterpret_cast<volatile std::uintptr_t*>(at);
        const std::uintptr_t held = *word;
        unwritten_percent += pattern_.write_percent;
        if (unwritten_percent >= 100) {
            unwritten_percent -= 100;
            *word = held + 1;
        }
        at += pattern_.line_bytes;
        if (at == end_)
            at = first_;
        const std::size_t due = pause * line / lines_in_portion;
        spin(due - waited);
        waited = due;
    }
    at_ = at;
    unwritten_percent_ = unwritten_percent;
    lines_ += lines;
}

AwakeCores::AwakeCores(const std::vector<int>& processors) {
    for (const int processor : processors) {
        std::promise<void> bound;
        std::future<void> is_bound = bound.get_future();
        try {
            Core& core = cores_.emplace_back();
            core.processor = processor;
            threads_.emplace_back(stay_awake, processor, std::ref(core.is_abandoned), std::move(bound));
        } catch (const std::system_error& error) {
            throw Error(fmt::format("cannot start a thread to keep processor {} awake: {}; {}", processor,
                                    error.code().message(), remedy_for_refused_thread()));
        }
        is_bound.get();
    }
}

std::vector<int> AwakeCores::abandoned() const {
    std::vector<int> processors;
    for (const Core& core : cores_) {
        if (core.is_abandoned)
            processors.push_back(core.processor);
    }
    return processors;
}

LoadLook look_at(const LoadBoard& board, Clock& clock) {
    LoadLook seen{.at_ns = clock.now_ns(), .lines = {}};
    for (const PublishedLines& thread : board.published)
        seen.lines.push_back(thread.lines.load(std::memory_order_relaxed));
    return seen;
}

double lines_per_ns(const LoadLook& before, const LoadLook& after) {
    const auto all = [](const LoadLook& look) {
        return std::accumulate(look.lines.begin(), look.lines.end(), std::uint64_t{0});
    };
    return static_cast<double>(all(after) - all(before)) / static_cast<double>(after.at_ns - before.at_ns);
}

std::vector<std::size_t> absent_threads(const LoadBoard& board, Clock& clock, const WalkBy& walk) {
    constexpr std::size_t accesses_between_looks = 16;
    constexpr std::uint64_t longest_silence_ns = 200'000; // an interrupt is shorter, a time slice of others longer
    std::vector<std::size_t> absent;
    if (board.pause.value_or(endless_pause) == endless_pause)
        return absent;
    const LoadLook before = look_at(board, clock);
    for (LoadLook now = before; now.at_ns - before.at_ns <= longest_silence_ns; now = look_at(board, clock)) {
        absent.clear();
        for (std::size_t thread = 0; thread < now.lines.size(); ++thread) {
            if (now.lines[thread] == before.lines[thread])
                absent.push_back(thread);
        }
        if (absent.empty())
            break;
        walk(accesses_between_looks);
    }
    return absent;
}

LoadingTeam::LoadingTeam(const TeamPlan& plan, const LoadPattern& pattern, const SystemFiles& files,
                         const std::atomic<bool>& interrupted, MakeFirst make_first)
    : board_(plan.processors.size() - 1, pattern),
      team_(
          plan.processors.size(),
          [plan, files, &interrupted, this,
           make_first = std::move(make_first)](std::size_t number) -> std::unique_ptr<TeamMember> {
              const Placement placement = placement_of(plan, number);
              if (number == 0)
                  return make_first(placement, board_);
              return std::make_unique<LoadThread>(plan, placement, files, interrupted, board_);
          },
          interrupted) {}

bool LoadingTeam::visit(std::optional<std::size_t> pause, const VisitPlan& visit) {
    board_.pause = pause;
    return !team_.visit(visit).empty();
}

} // namespace memtest
