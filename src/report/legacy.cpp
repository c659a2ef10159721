#include "memtest/report/legacy.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace memtest {

Notice notice_of_sentence(std::string_view sentence) {
    struct Known {
        std::string_view part;
        Code code;
    };
    constexpr std::array known{
        Known{"other processes use the processors and disturb the figures", Code::busy_machine},
        Known{"other processes wait for the processors or hold them, and disturb the figures", Code::busy_machine},
        Known{" % of the processors meanwhile, and disturbed the figures", Code::others_used},
        Known{" did not settle; measure again", Code::unsettled},
        Known{" serves a part of the accesses; give a larger --", Code::little_memory},
        Known{": the prefetcher follows the stride; --random shows the latency", Code::prefetcher_follows_stride},
    };
    const auto* const found = std::ranges::find_if(
        known, [&](const Known& entry) { return sentence.find(entry.part) != std::string_view::npos; });
    return {found == known.end() ? Code::unknown : found->code, {{"text", std::string(sentence)}}};
}

} // namespace memtest
