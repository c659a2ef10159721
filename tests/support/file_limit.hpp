#pragma once

#include <sys/resource.h>

#include <csignal>

namespace memtest {

/// Lets files of this process grow to a size only, as a full disk does, while it lives.
class FileLimit {
public:
    explicit FileLimit(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;
    FileLimit(FileLimit&&) = delete;
    FileLimit& operator=(FileLimit&&) = delete;

private:
    void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN); // a file at its limit is a write error
    rlimit before_{};
};

} // namespace memtest
