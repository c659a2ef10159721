#pragma once

#include "memtest/kinds/machine_in_brief.hpp"
#include "memtest/result/stored_file.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {

struct TranslationCost;

/// The results of `memtest report`, each in its place on the page.
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

    std::string name = {};                   ///< of the machine, beside others
    std::vector<MachineInBrief> beside = {}; ///< other machines

    /// By the name of the part, in the form of the page.
    std::map<std::string, std::string, std::less<>> plots = {};

    /// Whether the kernel gave the sweep with huge pages other pages than the one with small pages.
    [[nodiscard]] bool has_huge_pages() const;
    /// The sweep whose levels the page shows first: with huge pages if there is one, else with small pages.
    [[nodiscard]] const std::optional<Result>& sweep_of_levels() const {
        return has_huge_pages() ? huge_pages : small_pages;
    }
    /// The plot of a part; empty if there is none.
    [[nodiscard]] std::string plot_of(std::string_view part) const;
};

/// Whether both are known, and the same.
[[nodiscard]] bool have_same_pages(const Result& a, const Result& b);

/// Puts a part in its place, where it replaces another of its name. @pre it is of the kind of the part that it names
void put_part(ReportResults& results, Result part);

/// The parts of a report in their places. @throws Error (usage) if the file is none
[[nodiscard]] ReportResults report_of(StoredFile file);

/// All parts that there are, in the order of the file; they live as long as the results.
[[nodiscard]] std::vector<const Result*> parts_of(const ReportResults& results);

/// What small pages cost compared with huge ones; empty if one of the sweeps is missing.
[[nodiscard]] std::vector<TranslationCost> translation_costs_of(const ReportResults& results);

/// Whether it is one of the few sizes to show: 64 KiB, 256 KiB, 1 MiB and so on.
[[nodiscard]] bool is_shown(const TranslationCost& cost);

} // namespace memtest
