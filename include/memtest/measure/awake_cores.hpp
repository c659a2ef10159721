#pragma once

#include <thread>
#include <vector>

namespace memtest {

/// Keeps processors awake but silent: a thread on each spins in registers for as long as this object lives.
class AwakeCores {
public:
    /// Returns when all threads run where they should. @throws Error where the system refuses a thread
    explicit AwakeCores(const std::vector<int>& processors);

private:
    std::vector<std::jthread> threads_;
};

} // namespace memtest
