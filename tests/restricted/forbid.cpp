// Runs a command to which some system calls are forbidden, as a container's seccomp filter does it.
// Usage: forbid ERROR:CALL[,CALL...] COMMAND [ARGUMENT...]
//   ERROR  what the calls fail with: EPERM (not permitted) or ENOSYS (as if the kernel did not have them)
// Ends with 2 where it does not know the error or a call, with 77 where there are no filters.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr int usage_error = 2;
constexpr int cannot_run = 77; // what a test that cannot be done here ends with

using NamedNumber = std::pair<std::string_view, unsigned>;

constexpr std::array<NamedNumber, 2> known_errors{{{"EPERM", EPERM}, {"ENOSYS", ENOSYS}}};

constexpr std::array<NamedNumber, 6> known_calls{{
    {"sched_setaffinity", SYS_sched_setaffinity},
    {"sched_getaffinity", SYS_sched_getaffinity},
    {"perf_event_open", SYS_perf_event_open},
    {"mbind", SYS_mbind},
    {"madvise", SYS_madvise},
    {"move_pages", SYS_move_pages},
}};

unsigned number_of(std::string_view name, std::span<const NamedNumber> known) {
    const auto found = std::ranges::find(known, name, &NamedNumber::first);
    if (found == known.end()) {
        std::fprintf(stderr, "forbid: not known: '%s'\n", std::string(name).c_str());
        std::exit(usage_error);
    }
    return found->second;
}

std::vector<sock_filter> filter_against(std::string_view rule) {
    const std::size_t colon = rule.find(':');
    const unsigned error = number_of(rule.substr(0, colon), known_errors);
    std::string_view calls = colon == std::string_view::npos ? "" : rule.substr(colon + 1);
    std::vector<sock_filter> filter{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
    while (true) {
        const std::size_t comma = calls.find(',');
        filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number_of(calls.substr(0, comma), known_calls), 0, 1));
        filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
        if (comma == std::string_view::npos)
            break;
        calls.remove_prefix(comma + 1);
    }
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    return filter;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3)
        return usage_error;
    std::vector<sock_filter> filter = filter_against(argv[1]);
    const sock_fprog program{.len = static_cast<unsigned short>(filter.size()), .filter = filter.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        std::perror("forbid: no seccomp filter");
        return cannot_run;
    }
    execvp(argv[2], argv + 2);
    std::perror(argv[2]);
    return cannot_run;
}
