#include "memtest/result/answer.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/result/result.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memtest {
namespace {

/// Drops what another note says better, and what the answer refutes.
void drop_implied(Answer& answer) {
    std::vector<Notice>& notes = answer.notes;
    // Of all of them: erase_if moves notes while it asks.
    const auto has = [all = notes](Code code) { return std::ranges::find(all, code, &Notice::code) != all.end(); };
    const bool follows_stride = has(Code::prefetcher_follows_stride);
    std::erase_if(notes, [&](const Notice& note) {
        return (follows_stride && (note.code == Code::prefetched || note.code == Code::levels_below_prefetching ||
                                   note.code == Code::no_edge || note.code == Code::memory_not_reached)) ||
               (has(Code::prefetched) && note.code == Code::order_not_told) ||
               (has(Code::unsettled) && note.code == Code::many_disturbed) ||
               (has(Code::time_was_up) && note.code == Code::unsettled) ||
               (has(Code::many_disturbed) && note.code == Code::disturbed_size) ||
               (has(Code::others_used) && note.code == Code::busy_machine) ||
               (answer.is_beyond_caches && note.code == Code::little_memory);
    });
}

} // namespace

Answer answer_of(const Result& result) {
    try {
        if (result.row_count() > 0)
            return result.kind->facts.answer(result);
    } catch (const Error&) { // no row has a figure
    }
    return {.notes = result.remarks};
}

void add_warnings(Answer& answer, const std::vector<Notice>& warnings) {
    answer.notes.insert(answer.notes.end(), warnings.begin(), warnings.end());
    drop_implied(answer);
}

Answer answer_with_warnings(const Result& result) {
    Answer answer = answer_of(result);
    add_warnings(answer, result.warnings);
    return answer;
}

std::string text_of(const Answer& answer, std::size_t columns) {
    std::string text;
    if (!answer.title.empty())
        text += wrapped(answer.title, columns, "") + "\n";
    text += aligned_text(answer.table);
    for (const std::string& sentence : answer.sentences)
        text += wrapped(sentence, columns, "") + "\n";
    for (const Notice& note : answer.notes)
        text += wrapped(fmt::format("Note: {}.", sentence_of(note)), columns, "      ") + "\n";
    return text;
}

} // namespace memtest
