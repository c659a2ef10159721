// Runs a command to which some system calls are forbidden, as a container's seccomp filter does it: they fail with
// EPERM. Usage: forbid CALL[,CALL...] COMMAND [ARGUMENT...]
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr int cannot_run = 77; // what a test that cannot be done here ends with

constexpr std::array<std::pair<std::string_view, unsigned>, 5> known_calls{{
    {"sched_setaffinity", SYS_sched_setaffinity},
    {"sched_getaffinity", SYS_sched_getaffinity},
    {"perf_event_open", SYS_perf_event_open},
    {"mbind", SYS_mbind},
    {"move_pages", SYS_move_pages},
}};

std::vector<sock_filter> filter_against(std::string_view names) {
    std::vector<sock_filter> filter{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
    for (const auto& [name, number] : known_calls) {
        if (names.find(name) == std::string_view::npos)
            continue;
        filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
        filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
    }
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    return filter;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3)
        return 2;
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
