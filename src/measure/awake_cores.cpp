#include "memtest/measure/awake_cores.hpp"

#include "memtest/base/error.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/measure/loader.hpp"

#include <fmt/format.h>

#include <cstddef>
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
