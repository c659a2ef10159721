#pragma once

#include <sys/resource.h>

#include <csignal>

namespace memtest {

/// Lets this process have so much of something only, while it lives: files of RLIMIT_FSIZE bytes end as on a full disk.
class SystemLimit {
public:
    SystemLimit(decltype(RLIMIT_FSIZE) what, rlim_t most) : what_(what) {
        getrlimit(what, &before_);
        const rlimit limit{.rlim_cur = most, .rlim_max = before_.rlim_max};
        setrlimit(what, &limit);
    }
    ~SystemLimit() {
        setrlimit(what_, &before_);
        std::signal(SIGXFSZ, handler_);
    }

    SystemLimit(const SystemLimit&) = delete;
    SystemLimit& operator=(const SystemLimit&) = delete;
    SystemLimit(SystemLimit&&) = delete;
    SystemLimit& operator=(SystemLimit&&) = delete;

private:
    decltype(RLIMIT_FSIZE) what_;
    void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN); // a file at its limit is a write error
    rlimit before_{};
};

} // namespace memtest
