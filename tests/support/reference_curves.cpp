#include "support/reference_curves.hpp"

#include "support/text_file.hpp"

#include <cstddef>
#include <iterator>
#include <sstream>

namespace memtest::test {
namespace {

std::vector<CurvePoint> points_of(const std::string& path) {
    std::istringstream lines(read_text(path));
    std::vector<CurvePoint> points;
    std::string line;
    std::getline(lines, line); // the header
    while (std::getline(lines, line)) {
        std::istringstream fields(line);
        int thread = 0;
        char comma = 0;
        double size_mib = 0;
        double latency_ns = 0;
        fields >> thread >> comma >> size_mib >> comma >> latency_ns;
        points.push_back({size_mib * 1024 * 1024, latency_ns});
    }
    return make_curve(points);
}

/// All numbers of the text between the key and the next key.
std::vector<double> numbers_after(const std::string& text, const std::string& key, std::size_t from) {
    const std::size_t begin = text.find(':', text.find('"' + key + '"', from));
    std::string list = text.substr(begin + 1, text.find('"', begin) - begin - 1);
    for (char& c : list)
        c = c == '[' || c == ']' || c == ',' ? ' ' : c;
    std::istringstream stream(list);
    return {std::istream_iterator<double>(stream), std::istream_iterator<double>()};
}

} // namespace

std::vector<ReferenceCurve> reference_curves() {
    const std::string folder = std::string(TEST_DATA) + "/curves/";
    const std::string truth = read_text(folder + "truth.json");
    std::vector<ReferenceCurve> curves;
    for (const char* name : {"i7_1360p_gracemont", "j1900_silvermont", "k1_x60", "n150_gracemont", "pi3_cortex_a53",
                             "pi4_cortex_a72", "ryzen_r1505g_zen1", "syn_tlb_3level", "xeon_silver_4114"}) {
        ReferenceCurve curve{name, points_of(folder + name + ".csv"), {}};
        const std::size_t entry = truth.find('"' + curve.name + '"');
        curve.truth.capacities_bytes = numbers_after(truth, "capacities_bytes", entry);
        const std::vector<double> bands = numbers_after(truth, "latency_band_ns", entry);
        for (std::size_t i = 0; i + 1 < bands.size(); i += 2)
            curve.truth.latencies.push_back({bands[i], bands[i + 1]});
        curves.push_back(curve);
    }
    return curves;
}

ReferenceCurve reference_curve(const std::string& name) {
    for (const ReferenceCurve& curve : reference_curves()) {
        if (curve.name == name)
            return curve;
    }
    throw Error("there is no reference curve " + name);
}

} // namespace memtest::test
