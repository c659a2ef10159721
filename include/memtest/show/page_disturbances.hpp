#pragma once

#include "memtest/result/notice.hpp"
#include "memtest/result/result.hpp"
#include "memtest/result/stored_file.hpp"

#include <string>
#include <vector>

namespace memtest {

/// What disturbed some of the parts.
struct Disturbance {
    Notice notice;
    std::vector<const Result*> parts{};
};

/// What disturbed each part of a report, but for what its page shows elsewhere.
[[nodiscard]] std::vector<Disturbance> disturbances_of(const StoredFile& report);

/// "sweep with small pages, parallel chains (8, 16)": those of one section are counted unless it is all of them.
[[nodiscard]] std::string parts_in_words(const std::vector<const Result*>& parts, const StoredFile& report);

/// Whether it casts doubt on the result as a whole.
[[nodiscard]] bool is_on_whole_result(const Notice& warning);

/// Whether nothing disturbed any part, and no remark says that something changed meanwhile.
[[nodiscard]] bool is_quiet(const StoredFile& report, const std::vector<Disturbance>& disturbances);

} // namespace memtest
