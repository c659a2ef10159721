#pragma once

#include "memtest/report/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// A part of the report that could not be measured or drawn.
struct MissingPart {
    std::string what;
    std::string reason;

    bool operator==(const MissingPart&) const = default;
};

/// The results of `memtest report` that were measured, and its plots.
struct ReportResults {
    std::optional<Result> small_pages;    ///< a sweep in random order
    std::optional<Result> huge_pages;     ///< the same
    std::vector<Result> parallel;         ///< sweeps of one size, by ascending number of chains
    std::vector<Result> other_kinds = {}; ///< sweeps on the other kinds of cores
    std::optional<Result> tlb;
    std::optional<Result> cores;
    std::optional<Result> loaded;
    std::optional<Result> tail;
    std::optional<Result> prefetch;
    std::vector<MissingPart> missing = {};
    std::optional<Result> nodes = {};

    // In Markdown, or of characters for a terminal; empty if there are none.
    std::string sweep_plot = {};
    std::string cores_plot = {};
    std::string loaded_plot = {};
    std::string tail_plot = {};
    std::string nodes_plot = {};
    std::string prefetch_plot = {};

    std::vector<std::string> raw_files = {}; ///< names

    /// Whether the kernel gave the sweep with huge pages other pages than the one with small pages.
    [[nodiscard]] bool has_huge_pages() const;
};

/// The sentences that the page opens with: what someone would post of the machine. None where nothing is known.
[[nodiscard]] std::vector<std::string> report_summary(const ReportResults& results);

/// The page for people, in Markdown that reads well as text.
[[nodiscard]] std::string report_page(const ReportResults& results);

/// The same for a terminal, in lines of at most this many columns; the summary comes last.
[[nodiscard]] std::string report_text(const ReportResults& results, std::size_t columns);

} // namespace memtest
