#pragma once

#include "memtest/report/notice.hpp"

#include <string_view>

namespace memtest {

/// The notice for a sentence of a file from before version 3. Sentences that programs judge by get their code; all
/// others are unknown and keep their sentence.
[[nodiscard]] Notice notice_of_sentence(std::string_view sentence);

} // namespace memtest
