#include "memtest/measure/loader.hpp"

#include "memtest/base/error.hpp"
#include "memtest/machine/processors.hpp"

#include <fmt/format.h>

#include <exception>
#include <future>
#include <stop_token>
#include <system_error>
#include <utility>

namespace memtest {
namespace {

void stay_awake(const std::stop_token& stop, int processor, std::promise<void> bound) {
    try {
        pin_to(processor);
        bound.set_value();
    } catch (...) {
        return bound.set_exception(std::current_exception());
    }
    constexpr std::size_t additions_between_looks = std::size_t{1} << 16U; // some 20 us
    while (!stop.stop_requested())
        spin(additions_between_looks);
}

} // namespace

void spin(std::size_t additions) noexcept {
    for (; additions > 0; --additions)
        asm volatile("" : "+r"(additions)); // neither left out nor done in one
}

double bytes_moved(double lines, const LoadPattern& pattern) {
    return lines * static_cast<double>(pattern.line_bytes) * (1 + pattern.write_percent / 100.0);
}

Loader::Loader(std::span<std::byte> memory, const LoadPattern& pattern)
    : first_(memory.data()), end_(first_ + memory.size() / pattern.line_bytes * pattern.line_bytes), at_(first_),
      pattern_(pattern) {
    require(first_ != end_, "a loader has a line to read");
}

void Loader::load_portion(std::size_t pause) noexcept {
    std::byte* at = at_;
    unsigned unwritten_percent = unwritten_percent_;
    std::size_t waited = 0;
    for (std::size_t line = 1; line <= lines_in_portion; ++line) {
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
    lines_ += lines_in_portion;
}

AwakeCores::AwakeCores(const std::vector<int>& processors) {
    for (const int processor : processors) {
        std::promise<void> bound;
        std::future<void> is_bound = bound.get_future();
        try {
            threads_.emplace_back(stay_awake, processor, std::move(bound));
        } catch (const std::system_error& error) {
            throw Error(fmt::format("cannot start a thread to keep processor {} awake: {}; raise the limit (ulimit -u "
                                    "and -v, control group)",
                                    processor, error.code().message()));
        }
        is_bound.get();
    }
}

} // namespace memtest
