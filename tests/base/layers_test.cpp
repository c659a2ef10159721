#include "support/test.hpp"

#include <filesystem>
#include <fstream>
#include <map>

namespace {

namespace fs = std::filesystem;

// From the one that uses no other to the one that may use all.
constexpr std::array<std::string_view, 9> layers{"base",   "chain", "machine", "measure", "insight",
                                                 "result", "kinds", "show",    "cli"};

/// The place of the layer that a path below include/memtest or src lies in; the number of layers where it lies in none.
std::size_t layer_of(std::string_view path) {
    const std::string_view folder = path.substr(0, path.find('/'));
    return static_cast<std::size_t>(std::ranges::find(layers, folder) - layers.begin());
}

/// Calls `check(file, layer, included)` for each of the project's headers that a source of the project includes.
template<class Check>
void for_each_include(Check check) {
    for (const char* root : {"include/memtest", "src"}) {
        const fs::path top = fs::path(PROJECT_SOURCES) / root;
        for (const auto& entry : fs::recursive_directory_iterator(top)) {
            if (entry.path().extension() != ".hpp" && entry.path().extension() != ".cpp")
                continue;
            std::ifstream file(entry.path());
            constexpr std::string_view start = "#include \"memtest/";
            for (std::string line; std::getline(file, line);) {
                if (line.starts_with(start))
                    check(fs::relative(entry.path(), top).string(), line.substr(start.size()));
            }
        }
    }
}

TEST(Layers, UseOnlyThoseBeforeThem) {
    int includes = 0;
    for_each_include([&](const std::string& file, const std::string& included) {
        ++includes;
        if (included == "version.hpp\"") // made by the build, for all
            return;
        ASSERT_LT(layer_of(file), layers.size()) << file << " lies in no layer";
        EXPECT_LE(layer_of(included), layer_of(file)) << file << " includes memtest/" << included;
    });
    EXPECT_GT(includes, 100) << "the sources are not where this test looks for them";
}

/// A header and its source count as one file, by their path without an ending.
std::string file_of(const std::string& path) {
    return path.substr(0, path.rfind('.'));
}

TEST(Layers, HaveNoCycleOfIncludesBetweenFiles) {
    std::map<std::string, std::set<std::string>> uses;
    for_each_include([&](const std::string& file, const std::string& included) {
        if (file_of(file) != file_of(included))
            uses[file_of(file)].insert(file_of(included));
    });
    const auto is_used = [&](const std::string& file) {
        return std::ranges::any_of(uses, [&](const auto& other) { return other.second.contains(file); });
    };
    for (std::size_t left = uses.size() + 1; left != uses.size();) { // drop both ends, until only cycles are left
        left = uses.size();
        for (auto& [file, used] : uses)
            std::erase_if(used, [&](const std::string& one) { return !uses.contains(one); });
        std::erase_if(uses, [](const auto& file) { return file.second.empty(); });
        std::erase_if(uses, [&](const auto& file) { return !is_used(file.first); });
    }
    for (const auto& [file, used] : uses)
        ADD_FAILURE() << file << " is in a cycle";
}

/// Whether a header reaches another through what it includes.
bool reaches(const std::string& header, std::string_view wanted) {
    std::ifstream file(fs::path(PROJECT_SOURCES) / "include/memtest" / header);
    for (std::string line; std::getline(file, line);) {
        constexpr std::string_view start = "#include \"memtest/";
        if (line.find(wanted) != std::string::npos)
            return true;
        if (line.starts_with(start) && reaches(line.substr(start.size(), line.size() - start.size() - 1), wanted))
            return true;
    }
    return false;
}

TEST(Layers, WhoReadsAResultPullsInNeitherThreadsNorLinux) {
    EXPECT_TRUE(reaches("measure/team.hpp", "<thread>")) << "this test finds what is there";
    for (const char* forbidden :
         {"<thread>", "<atomic>", "memtest/measure/team.hpp", "memtest/machine/system_files.hpp"})
        EXPECT_FALSE(reaches("result/result_reader.hpp", forbidden)) << forbidden;
}

} // namespace
