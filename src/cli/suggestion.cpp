#include "memtest/cli/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace memtest {
namespace {

/// The fewest edits that make one of the other: the optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
    // least[i][j]: of the first i letters of a and the first j of b
    std::vector<std::vector<std::size_t>> least(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                least[i][j] = i + j;
                continue;
            }
            least[i][j] = std::min(
                {least[i - 1][j] + 1, least[i][j - 1] + 1, least[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                least[i][j] = std::min(least[i][j], least[i - 2][j - 2] + 1);
        }
    }
    return least[a.size()][b.size()];
}

} // namespace

std::optional<std::string_view> suggestion_for(std::string_view written, std::span<const std::string_view> words) {
    constexpr std::size_t telling_letters = 2;
    constexpr std::size_t longest = 64; // the distance takes time and memory by both lengths
    if (written.size() < telling_letters || written.size() > longest)
        return std::nullopt;
    const auto begins_so =
        std::ranges::find_if(words, [written](std::string_view word) { return word.starts_with(written); });
    if (begins_so != words.end())
        return *begins_so;
    const auto nearest =
        std::ranges::min_element(words, {}, [written](std::string_view word) { return distance(written, word); });
    if (nearest == words.end() || distance(written, *nearest) > written.size() / 3)
        return std::nullopt;
    return *nearest;
}

} // namespace memtest
