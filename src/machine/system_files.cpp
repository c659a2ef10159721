#include "memtest/machine/system_files.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"

#include <dirent.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <system_error>

namespace memtest {

std::optional<std::string> SystemFiles::text(std::string_view path) const {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(below_root(path).c_str(), "r"), std::fclose);
    if (file == nullptr)
        return std::nullopt;
    std::string text;
    std::array<char, 4096> buffer{};
    while (const std::size_t read = std::fread(buffer.data(), 1, buffer.size(), file.get()))
        text.append(buffer.data(), read);
    if (std::ferror(file.get()) != 0) // some files of /sys can be opened, but not read
        return std::nullopt;
    return text;
}

std::optional<std::string> SystemFiles::line(std::string_view path) const {
    const auto all = text(path);
    if (!all)
        return std::nullopt;
    return std::string(trimmed(std::string_view(*all).substr(0, all->find('\n'))));
}

std::optional<std::uint64_t> SystemFiles::number(std::string_view path) const {
    const auto first = line(path);
    return first ? leading_number(*first) : std::nullopt;
}

std::optional<std::string> SystemFiles::field(std::string_view path, std::string_view key) const {
    std::istringstream lines(text(path).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(':');
        if (colon != std::string::npos && trimmed(std::string_view(line).substr(0, colon)) == key)
            return std::string(trimmed(std::string_view(line).substr(colon + 1)));
    }
    return std::nullopt;
}

std::optional<std::uint64_t> SystemFiles::bytes(std::string_view path, std::string_view key) const {
    const auto number = leading_number(field(path, key).value_or(""));
    return number ? std::optional(capped_product(*number, kib)) : std::nullopt;
}

std::optional<std::string> SystemFiles::link(std::string_view path) const {
    std::error_code error;
    const auto target = std::filesystem::read_symlink(below_root(path), error);
    return error ? std::nullopt : std::optional(target.string());
}

std::vector<std::string> SystemFiles::names(std::string_view directory) const {
    // std::filesystem::directory_iterator is no alternative: in libstdc++ it ends the program if memory is short.
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(below_root(directory).c_str()), closedir);
    std::vector<std::string> names;
    while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..")
            names.emplace_back(name);
    }
    std::ranges::sort(names);
    return names;
}

} // namespace memtest
