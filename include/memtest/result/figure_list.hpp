#pragma once

#include "memtest/insight/figure.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/result/result.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memtest {

/// The figures of one file, as its parts add them.
class FigureList {
public:
    /// Begins with the figures of a part.
    void begin(const Result& part);

    /// Adds a figure unless it is not above 0, or there. What disturbed the run casts doubt on one without own noise.
    void add(Figure figure);

    /// Adds a reading of the latency of memory; all of them in one kind of pages make one figure.
    void add_memory(const std::optional<PageKind>& pages, double ns, double noise, Why doubt = Why::none);

    /// All of them, memory first.
    [[nodiscard]] std::vector<Figure> take();

private:
    std::string part_{};
    bool incomplete_ = false;
    bool disturbed_ = false;
    bool is_guest_ = false;
    std::set<std::pair<std::string, std::string>> names_{};
    std::map<std::string, Figure> memory_{};
    std::vector<Figure> all_{};
};

} // namespace memtest
