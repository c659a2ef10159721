#include "memtest/cli/verbs/verbs.hpp"

#include "memtest/cli/probe/command.hpp"
#include "memtest/cli/probe/command_line.hpp"
#include "memtest/cli/verbs/compare.hpp"
#include "memtest/cli/verbs/levels.hpp"
#include "memtest/cli/verbs/plot.hpp"
#include "memtest/cli/verbs/tlb.hpp"

#include <array>

namespace memtest {

std::span<const Verb> verbs() {
    static constexpr std::array table{
        Verb{"", "", "measure the latency of each size of memory", probe_option_texts, run_probe},
        Verb{"tlb", "", "measure what address translation costs", tlb_option_texts, run_tlb},
        Verb{"levels", "FILE", "read the hierarchy off a stored sweep", levels_option_texts, run_levels},
        Verb{"compare", "BASE... NEW", "judge a sweep against others by exit status", compare_option_texts,
             run_compare},
        Verb{"plot", "FILE...", "draw sweeps with gnuplot", plot_option_texts, run_plot},
    };
    return table;
}

} // namespace memtest
