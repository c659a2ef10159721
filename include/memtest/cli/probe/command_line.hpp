#pragma once

#include "memtest/cli/option_table.hpp"
#include "memtest/cli/probe/options.hpp"

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// Every option of the probe.
[[nodiscard]] std::span<const Option<ProbeOptions>> probe_options();

/// The option of this name. @pre there is one
[[nodiscard]] const Option<ProbeOptions>& probe_option(std::string_view name);

/// The probe's option, for a verb that has it, too.
template<std::derived_from<ProbeOptions> Target>
[[nodiscard]] Option<Target> shared_option(std::string_view name) {
    const Option<ProbeOptions>& option = probe_option(name);
    return {.group = "Options",
            .short_name = option.short_name,
            .name = option.name,
            .argument = option.argument,
            .help = option.help,
            .preset = option.preset,
            .set = [](Target& target, const Argument& a) { probe_option(a.name).set(target, a); },
            .words = option.words};
}

/// The same with another help text and default.
template<std::derived_from<ProbeOptions> Target>
[[nodiscard]] Option<Target> shared_option(std::string_view name, std::string_view help, std::string_view preset) {
    auto option = shared_option<Target>(name);
    option.help = help;
    option.preset = preset;
    return option;
}

/// Reads the probe's command line (without the program's name) and checks what needs no machine. With --version nothing
/// else is checked. @throws Error (usage)
[[nodiscard]] ProbeOptions parse_probe_options(const std::vector<std::string>& arguments);

} // namespace memtest
