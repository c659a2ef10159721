#pragma once

#include <string>
#include <string_view>

namespace memtest {

class ResultWriter;

/// Says why the program ends, in a line on standard error. A message that cannot be written is dropped, here and by
/// `warn`.
void complain(std::string_view sentence) noexcept;

/// Says what disturbs or changes a result. @param name ends the sentence
void warn(std::string_view sentence, std::string_view name = "") noexcept;

/// The same in the result, and on standard error only where the run is not quiet.
void warn_in(ResultWriter& result, const std::string& sentence, bool quiet);

} // namespace memtest
