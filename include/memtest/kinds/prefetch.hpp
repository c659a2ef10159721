#pragma once

#include "memtest/insight/prefetchers.hpp"
#include "memtest/result/result.hpp"

namespace memtest {

/// What `memtest prefetch` measures: the latency of accesses to memory in patterns that prefetchers may follow.
extern const KindOf<PatternFigure> prefetch_kind;

/// What the rows of a result show; nothing is known if its run was cut short. Whether it was disturbed shows in the
/// rounds of each row.
[[nodiscard]] Prefetchers prefetchers_in(const Result& prefetch);

/// The same as findings.
[[nodiscard]] Findings prefetch_findings(const Prefetchers& found);

} // namespace memtest
