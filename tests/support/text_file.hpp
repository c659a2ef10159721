#pragma once

#include "support/test.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace memtest {

/// A file with this text in a folder for tests, removed at the end.
class TextFile {
public:
    /// @param name tells it from others of the same test
    TextFile(const std::string& name, const std::string& text)
        : path_(testing::TempDir() + "memtest-test-" + name + "." + std::to_string(getpid())) {
        std::ofstream(path_, std::ios::binary) << text;
    }
    ~TextFile() { std::filesystem::remove(path_); }

    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;
    TextFile(TextFile&&) = delete;
    TextFile& operator=(TextFile&&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// All that a file holds.
inline std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace memtest
