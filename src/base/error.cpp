#include "memtest/base/error.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace memtest {

Error usage_error(const std::string& message) {
    return Error(message, ExitStatus::usage);
}

std::string system_reason() {
    return std::generic_category().message(errno);
}

void end_for_broken_invariant(const char* what) noexcept {
    std::fprintf(stderr, "memtest: internal error: violated: %s\n", what);
    std::abort();
}

} // namespace memtest
