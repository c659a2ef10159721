#pragma once

#include <string>
#include <string_view>

namespace memtest {

/// Says why the program ends, as a line on standard error. Where that is closed, full or without a reader nothing
/// happens: no run is lost for what cannot be said. The same holds for `warn`.
void complain(std::string_view sentence) noexcept;

/// Says what disturbs a result or happened to it. @param name ends the sentence
void warn(std::string_view sentence, std::string_view name = "") noexcept;

/// The same in the report, and on standard error only where the run is not quiet.
template<class AnyReport>
void warn_in(AnyReport& report, const std::string& sentence, bool quiet) {
    if (!quiet)
        warn(sentence);
    report.warn(sentence);
}

} // namespace memtest
