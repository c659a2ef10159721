#pragma once

#include "memtest/base/words.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace memtest {

/// A remark on how a row was measured.
enum class Note {
    preempted, ///< the kernel took the processor away during a timed part
    migrated,  ///< the thread ended a timed part on another processor than it began it on
    faulted,   ///< pages were missing during a timed part
    bimodal,   ///< the batches of a visit fall into two groups
    single,    ///< without a precision: too few batches agree with the smallest one
    limit,     ///< the visits do not agree to the precision
    coarse,    ///< the clock is too coarse for so few accesses
};

template<>
inline constexpr std::array<Word<Note>, 7> word_table<Note>{{{Note::preempted, "preempted"},
                                                             {Note::migrated, "migrated"},
                                                             {Note::faulted, "faulted"},
                                                             {Note::bimodal, "bimodal"},
                                                             {Note::single, "single"},
                                                             {Note::limit, "limit"},
                                                             {Note::coarse, "coarse"}}};

/// The notes that cast doubt even on the smallest batch.
inline constexpr std::array disturbing_notes{Note::bimodal, Note::single, Note::limit};

/// Whether any of them is such.
[[nodiscard]] inline bool any_disturbing(const std::vector<Note>& notes) {
    return std::ranges::find_first_of(notes, disturbing_notes) != notes.end();
}

} // namespace memtest
