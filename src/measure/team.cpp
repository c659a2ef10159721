#include "memtest/measure/team.hpp"

#include "memtest/base/error.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/walker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace memtest {
namespace {

void raise_to(std::atomic<std::uint64_t>& highest, std::uint64_t value) {
    std::uint64_t seen = highest.load();
    while (seen < value && !highest.compare_exchange_weak(seen, value)) {
    }
}

/// @throws Error for any exception
[[noreturn]] void rethrow_as_error(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw Error(
            "out of memory; use fewer threads or less memory, or raise the limit (ulimit -v or -d, control group)");
    } catch (const std::exception& error) {
        throw Error(error.what());
    }
}

} // namespace

Team::Team(std::size_t size, MakeMember make_member, const std::atomic<bool>& interrupted)
    : make_member_(std::move(make_member)), interrupted_(interrupted), facts_(size), results_(size),
      gate_(static_cast<std::ptrdiff_t>(size) + 1) {
    failures_.resize(size);
    threads_.reserve(size);
    std::exception_ptr failure;
    try {
        start_threads();
    } catch (...) {
        failure = std::current_exception();
        for (std::size_t missing = threads_.size(); missing < size; ++missing)
            gate_.arrive_and_drop(); // nobody waits for the missing threads
    }
    gate_.arrive_and_wait(); // all are ready, or have failed
    try {
        if (failure)
            rethrow_as_error(failure);
        throw_failure();
    } catch (...) {
        dismiss();
        throw;
    }
}

Team::Team(const TeamPlan& plan, const SystemFiles& files, const std::atomic<bool>& interrupted)
    : Team(
          plan.processors.size(),
          // The plan is copied into the team's own function, which outlives its members.
          [plan, files, &interrupted](std::size_t number) {
              return std::make_unique<Walker>(plan, placement_of(plan, number), files, interrupted);
          },
          interrupted) {}

void Team::start_threads() {
    const std::size_t size = failures_.size();
    for (std::size_t number = 0; number < size; ++number) {
        try {
            threads_.emplace_back([this, number] { run_member(number); });
        } catch (const std::system_error& error) {
            throw Error(fmt::format("cannot start thread {} of {}: {}; {}", number + 1, size, error.code().message(),
                                    remedy_for_refused_thread()));
        }
    }
}

void Team::dismiss() {
    visit_.bytes = 0;
    if (!threads_.empty())
        gate_.arrive_and_wait();
    threads_.clear();
}

std::vector<Measurement> Team::visit(const VisitPlan& visit) {
    std::vector<Measurement> results(threads_.size());
    visit_ = visit;
    shortest_batch_ = 1;
    preparing_ = threads_.size();
    walking_ = threads_.size();
    gate_.arrive_and_wait(); // start of the visit
    gate_.arrive_and_wait(); // its end
    throw_failure();
    results_.swap(results);
    return interrupted_ ? std::vector<Measurement>{} : results;
}

void Team::throw_failure() {
    const auto first = std::ranges::find_if(failures_, [](const auto& failure) { return failure != nullptr; });
    if (first != failures_.end())
        rethrow_as_error(*first);
}

void Team::run_member(std::size_t number) {
    std::unique_ptr<TeamMember> member;
    try {
        member = make_member_(number);
        facts_[number] = member->facts();
    } catch (...) {
        failures_[number] = std::current_exception();
    }
    gate_.arrive_and_wait();
    while (true) {
        gate_.arrive_and_wait();
        if (visit_.bytes == 0)
            return;
        take_part(*member, number);
        gate_.arrive_and_wait();
    }
}

void Team::take_part(TeamMember& member, std::size_t number) {
    // Assembled here and published at the end, so that no result is written next to data that another thread reads.
    Measurement measurement;
    std::exception_ptr failure;
    // A member that failed does nothing more, but still arrives wherever the others wait for it.
    const auto attempt = [&failure](const auto& step) noexcept {
        if (failure)
            return;
        try {
            step();
        } catch (...) {
            failure = std::current_exception();
        }
    };
    attempt([&] { raise_to(shortest_batch_, member.prepare(visit_)); });
    // Waits by spinning: a thread that slept here would start tens of microseconds, or a time slice, after the others.
    preparing_.fetch_sub(1);
    while (preparing_.load(std::memory_order_acquire) > 0)
        attempt([&] { member.stay_warm(); });
    attempt([&] { member.measure(share_of_visit(visit_.left, shortest_batch_), measurement); });
    attempt([&] { check_pinned_to(member.processor()); }); // else it may have measured elsewhere
    walking_.fetch_sub(1);
    while (walking_.load(std::memory_order_acquire) > 0)
        attempt([&] { member.walk_on(); });
    attempt([&] { member.finish(measurement); });
    results_[number] = std::move(measurement);
    failures_[number] = failure;
}

} // namespace memtest
