#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memtest {

/// The text files in which the system describes itself (/proc, /sys), below a root that tests replace with a folder.
class SystemFiles {
public:
    explicit SystemFiles(std::string root = "") : root_(std::move(root)) {}

    /// The file's text; std::nullopt if it cannot be read. @param path absolute, as on the system itself
    [[nodiscard]] std::optional<std::string> text(std::string_view path) const;

    /// The file's first line without surrounding blanks, if any.
    [[nodiscard]] std::optional<std::string> line(std::string_view path) const;

    /// The number at the start of the file, if any (none for words such as "max").
    [[nodiscard]] std::optional<std::uint64_t> number(std::string_view path) const;

    /// The value after "key:" in a file of such lines (/proc/meminfo, /proc/cpuinfo), if any.
    [[nodiscard]] std::optional<std::string> field(std::string_view path, std::string_view key) const;

    /// The same for a value in KiB (/proc/meminfo), in bytes.
    [[nodiscard]] std::optional<std::uint64_t> bytes(std::string_view path, std::string_view key) const;

    /// The target of a symbolic link, if any.
    [[nodiscard]] std::optional<std::string> link(std::string_view path) const;

    /// The names in a directory, sorted; empty if there is none.
    [[nodiscard]] std::vector<std::string> names(std::string_view directory) const;

private:
    [[nodiscard]] std::string below_root(std::string_view path) const { return root_ + std::string(path); }

    std::string root_;
};

} // namespace memtest
