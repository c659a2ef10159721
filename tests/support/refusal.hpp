#pragma once

#include "memtest/base/error.hpp"

#include <gtest/gtest.h>

#include <string>

namespace memtest {

/// The message of the usage error that the call throws; empty where it throws none. Another status is a failure.
template<class Act>
[[nodiscard]] std::string refusal_of(const Act& act) {
    try {
        act();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::usage);
        return error.what();
    }
    return "";
}

} // namespace memtest
