#include "memtest/base/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace memtest {

Error usage_error(const std::string& message) {
    return Error(message, ExitStatus::usage);
}

void end_for_broken_invariant(const char* what) noexcept {
    std::fprintf(stderr, "memtest: internal error: this does not hold: %s\n", what);
    std::abort();
}

} // namespace memtest
