#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

namespace memtest {

/// Keeps other runs of the tests from what the whole system shares, while it lives.
class FileLock {
public:
    FileLock()
        : descriptor_(open((std::filesystem::temp_directory_path() / "memtest-tests.lock").c_str(),
                           O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
        flock(descriptor_, LOCK_EX);
    }
    ~FileLock() { close(descriptor_); }

    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    FileLock(FileLock&&) = delete;
    FileLock& operator=(FileLock&&) = delete;

private:
    int descriptor_;
};

} // namespace memtest
