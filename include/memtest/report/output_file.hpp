#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace memtest {

/// Where results go: standard output or a file, created at once. Whatever is written has left the program when `write`
/// returns.
class OutputFile {
public:
    /// @param path none for standard output @throws Error naming the file when it cannot be created
    explicit OutputFile(const std::optional<std::string>& path);

    /// @throws Error naming the file when it cannot be written
    void write(std::string_view text);

private:
    struct Close {
        void operator()(std::FILE* file) const;
    };
    std::string name_;
    std::unique_ptr<std::FILE, Close> file_;
};

} // namespace memtest
