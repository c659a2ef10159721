#pragma once

#include "memtest/insight/figure.hpp"
#include "memtest/report/report_parts.hpp"
#include "memtest/report/result.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memtest {

/// The peak bandwidths of the curves of a result of `memtest loaded`, in GB/s by their share of writes in percent.
using PeakBandwidths = std::map<unsigned, double>;

[[nodiscard]] PeakBandwidths peak_bandwidths(const Result& loaded);

/// The figures that a result states, each name once. Those of a result that is incomplete or was disturbed are in
/// doubt. Empty for bins of a latency distribution.
/// @param peaks of a baseline: the latency under load is stated at half and at three quarters of them, so that results
/// are compared at equal bandwidth; those of the result itself if they are not there
/// @throws Error (usage) if the rows are none of its kind
[[nodiscard]] std::vector<Figure> figures_in(const Result& result, const PeakBandwidths& peaks = {});

/// The figures of all parts, and what huge pages save.
[[nodiscard]] std::vector<Figure> figures_in(const ReportResults& results, const PeakBandwidths& peaks = {});

/// The subject of a level's latency: a cache has one for all kinds of pages, although L2 and L3 in small pages contain
/// hits of a TLB; memory has one for each kind of pages. Empty for the sweep of another kind of cores.
[[nodiscard]] std::string subject_of_level(const Result& sweep, std::string_view level);

/// What huge pages save at the two largest sizes, as the difference of the two sweeps gives it.
[[nodiscard]] std::vector<Figure> savings_in(const ReportResults& results);

} // namespace memtest
