#include "memtest/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace memtest {

Error usage_error(const std::string& message) {
    return Error(message, ExitStatus::usage);
}

void require(bool holds, const char* what) noexcept {
    if (holds)
        return;
    std::fprintf(stderr, "memtest: internal error: this does not hold: %s\n", what);
    std::abort();
}

} // namespace memtest
