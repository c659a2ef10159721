#include "memtest/machine/disturbances.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/machine/processors.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

namespace memtest {
namespace {

/// The share of the last 10 s in which some process waited for a processor.
double percent_waited(const SystemFiles& files) {
    constexpr std::string_view key = "some avg10=";
    const std::string line = files.line("/proc/pressure/cpu").value_or("");
    std::string_view rest = std::string_view(line).substr(line.starts_with(key) ? key.size() : line.size());
    return take_number<double>(rest).value_or(0);
}

/// The average number of processes that ran or waited to run in the last minute, and the current number.
struct Load {
    double average = 0;
    std::uint64_t now = 0; ///< including the calling thread
};

Load read_load(const SystemFiles& files) {
    std::istringstream line(files.line("/proc/loadavg").value_or(""));
    Load load;
    double longer = 0;
    line >> load.average >> longer >> longer >> load.now;
    return load;
}

/// Whether others run all the time, rather than start or end.
bool do_others_run(const SystemFiles& files) {
    constexpr int looks = 5;
    for (int look = 0; look < looks; ++look) {
        if (read_load(files).now <= 1)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
    }
    return true;
}

double processors_online(const SystemFiles& files) {
    const auto ids = parse_ids(files.line("/sys/devices/system/cpu/online").value_or(""));
    return ids ? static_cast<double>(ids->size()) : std::numeric_limits<double>::infinity();
}

/// Whether the calling thread waited for its processor during much of the time in which it could have run.
bool was_kept_waiting(const SystemFiles& files) {
    constexpr double least_share = 0.2;
    constexpr double least_ns = 1e7; // less happens by chance
    std::istringstream line(files.line("/proc/thread-self/schedstat").value_or(""));
    double ran_ns = 0;
    double waited_ns = 0;
    line >> ran_ns >> waited_ns;
    return waited_ns >= std::max(least_ns, least_share * (ran_ns + waited_ns));
}

} // namespace

Disturbances read_disturbances() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return {.preemptions = static_cast<std::uint64_t>(usage.ru_nivcsw),
            .faults = static_cast<std::uint64_t>(usage.ru_minflt + usage.ru_majflt),
            .processor = current_processor(),
            .waits = static_cast<std::uint64_t>(usage.ru_nvcsw)};
}

double processor_seconds(int who) {
    rusage usage{};
    getrusage(who, &usage);
    const auto us = static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + us / 1e6;
}

bool is_machine_busy(const SystemFiles& files) {
    constexpr double clearly_waited = 10; // percent; a quiet machine shows less than 3
    const bool was_busy =
        percent_waited(files) >= clearly_waited || read_load(files).average >= processors_online(files);
    return (was_busy && do_others_run(files)) || was_kept_waiting(files);
}

double slowdown_by_others(const SystemFiles& files) {
    constexpr double least = 2;
    return is_machine_busy(files) ? std::max(least, 1 + read_load(files).average / processors_online(files)) : 1;
}

std::optional<double> UseByOthers::percent_since() {
    constexpr double least_ticks = 50; // fewer show little: a quarter of a second on two processors
    const Time now = read();
    const double all = now.all - last_.all;
    if (all < least_ticks)
        return std::nullopt;
    const Time before = std::exchange(last_, now);
    return 100 * std::max(0.0, now.used - before.used - (now.own - before.own)) / all;
}

UseByOthers::Time UseByOthers::read() const {
    constexpr std::string_view key = "cpu";
    Time time;
    std::istringstream stat(files_.text("/proc/stat").value_or(""));
    for (std::string line; std::getline(stat, line) && line.starts_with(key);) {
        std::istringstream rest(line.substr(key.size()));
        int processor = 0;
        std::array<double, 8>
            ticks{}; // user, nice, system, idle, waiting for input and output, two of interrupts, stolen
        const bool is_of_all = std::isspace(static_cast<unsigned char>(rest.peek())) != 0;
        if (is_of_all || !(rest >> processor) || !std::ranges::binary_search(processors_, processor))
            continue;
        for (double& kind : ticks)
            rest >> kind;
        const double all = std::accumulate(ticks.begin(), ticks.end(), 0.0);
        time.all += all;
        time.used += all - ticks[3] - ticks[4];
    }
    time.own = static_cast<double>(sysconf(_SC_CLK_TCK)) * processor_seconds(RUSAGE_SELF);
    return time;
}

} // namespace memtest
