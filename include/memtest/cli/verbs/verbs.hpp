#pragma once

#include "memtest/base/error.hpp"
#include "memtest/cli/option_table.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// One thing that the program does, named by the first word of the command line.
struct Verb {
    std::string_view name;     ///< empty for the probe, which needs no verb
    std::string_view operands; ///< as the usage line shows them
    std::string_view summary;  ///< one line
    std::vector<OptionText> (*options)();
    /// Does it. @param arguments those behind the verb @throws Error
    ExitStatus (*run)(const std::vector<std::string>& arguments);
};

/// The probe, then the verbs in the order in which help and manual show them.
[[nodiscard]] std::span<const Verb> verbs();

} // namespace memtest
