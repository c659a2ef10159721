#pragma once

#include "memtest/report/notice.hpp"

#include <string_view>

namespace memtest {

/// The notice that a sentence of a file from before version 3 stands for. Those that programs judge by have their code;
/// all others are unknown, and keep their sentence.
[[nodiscard]] Notice notice_of_sentence(std::string_view sentence);

} // namespace memtest
