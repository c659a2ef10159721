#pragma once

#include "memtest/plot/gnuplot.hpp"
#include "memtest/report/load_file.hpp"
#include "memtest/report/matrix_file.hpp"
#include "memtest/report/sweep_file.hpp"
#include "memtest/report/tlb_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// The results of `memtest report`, as far as they were measured, and its plots.
struct ReportResults {
    std::optional<StoredSweep> small_pages; ///< in random order
    std::optional<StoredSweep> huge_pages;  ///< the same
    std::vector<StoredSweep> parallel;      ///< of one size, by ascending number of chains
    std::optional<StoredTranslation> tlb;
    std::optional<StoredMatrix> cores;
    std::optional<StoredLoad> loaded;
    std::vector<std::string> missing = {}; ///< results and plots that failed and why, in sentences

    // In Markdown; empty where there are none.
    std::string sweep_plot = {};
    std::string cores_plot = {};
    std::string loaded_plot = {};

    std::vector<std::string> raw_files = {}; ///< names
};

/// The sweeps, with the levels of the page; nothing where there is none. @throws Error like plot_sweeps
[[nodiscard]] std::optional<SizePlot> plot_of_sweeps(const ReportResults& results);

/// The page for people, in Markdown that reads well as text.
[[nodiscard]] std::string report_page(const ReportResults& results);

} // namespace memtest
