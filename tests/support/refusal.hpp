#pragma once

#include "memtest/base/error.hpp"
#include "support/test.hpp"

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

/// Whether a message names the options, values and commands that it is about.
[[nodiscard]] inline testing::AssertionResult mentions(const std::string& message,
                                                       const std::vector<std::string_view>& names) {
    for (const std::string_view name : names) {
        if (message.find(name) == std::string::npos)
            return testing::AssertionFailure() << "'" << message << "' does not mention '" << name << "'";
    }
    return testing::AssertionSuccess();
}

} // namespace memtest
