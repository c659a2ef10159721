#pragma once

#include "memtest/base/words.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace memtest {

/// A remark on how a row was measured.
enum class LoadNote {
    awake,     ///< nothing loads, but the load threads are awake: they spin in registers
    preempted, ///< batches were set aside: the walk lost its processor
    absent,    ///< batches were set aside: a load thread did not run throughout
    few,       ///< fewer than 8 batches count
    limit,     ///< the visits do not agree to the precision
    several,   ///< they disagree by more than a fifth, about the latency or the bandwidth
};

template<>
inline constexpr std::array<Word<LoadNote>, 6> word_table<LoadNote>{{{LoadNote::awake, "awake"},
                                                                     {LoadNote::preempted, "preempted"},
                                                                     {LoadNote::absent, "absent"},
                                                                     {LoadNote::few, "few"},
                                                                     {LoadNote::limit, "limit"},
                                                                     {LoadNote::several, "several"}}};

/// One row of the result: one pause of the load threads, over all its visits.
struct LoadRow {
    double load_percent = 0; ///< of the peak of the run
    // The figures are of the batches that count. If none does, they are of those in which the walk kept its processor
    // and load threads moved lines; without such batches there are none.
    std::optional<double> bytes_per_ns = std::nullopt; ///< GB/s, of all load threads
    std::optional<double> latency_ns = std::nullopt;
    std::optional<double> visits_percent = std::nullopt; ///< how far the visits disagree about the latency
    std::size_t visits = 0;
    std::size_t batches = 0;   ///< that count
    std::size_t set_aside = 0; ///< that do not
    std::vector<LoadNote> notes{};
    std::optional<unsigned> write_percent = std::nullopt;   ///< of the lines, in the row's curve
    std::optional<double> bytes_per_ns_low = std::nullopt;  ///< lower quartile of the batches, like the next three
    std::optional<double> bytes_per_ns_high = std::nullopt; ///< upper quartile
    std::optional<double> latency_low_ns = std::nullopt;
    std::optional<double> latency_high_ns = std::nullopt;
};

[[nodiscard]] bool has_note(const LoadRow& row, LoadNote note);

/// Whether nothing loads, but the load threads are awake.
[[nodiscard]] bool is_awake(const LoadRow& row);

/// Whether the visits agree, or most batches count. Under load visits scatter on a quiet machine, too; if others hold
/// the processors, most batches are set aside.
[[nodiscard]] bool is_settled(const LoadRow& row);

} // namespace memtest
