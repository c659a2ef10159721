#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <istream>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>

namespace memtest {

/// A stored result as a stream; `-` is standard input. Reading throws an Error where the system refuses, and (usage)
/// where there is more than any result holds: the input may not end.
class InputFile : private std::streambuf {
public:
    /// @throws Error (usage) when it cannot be opened
    explicit InputFile(const std::string& path);

    [[nodiscard]] std::istream& stream() { return stream_; }
    [[nodiscard]] const std::string& name() const { return name_; } ///< for messages

    /// What comes next, up to 64 KiB, which stays to be read.
    [[nodiscard]] std::string_view head();

private:
    struct Close {
        void operator()(std::FILE* file) const;
    };

    int_type underflow() override;

    std::string name_;
    std::unique_ptr<std::FILE, Close> file_;
    std::size_t taken_ = 0;
    std::array<char, std::size_t{64} * 1024> buffer_{};
    std::istream stream_{this};
};

/// Skips the mark that some editors put ahead of UTF-8. @throws Error (usage) for text in UTF-16
void skip_byte_order_mark(std::istream& in, const std::string& name);

/// Called with each line, without its end, and its number from 1.
using LineSink = std::function<void(std::string_view line, std::size_t number)>;

/// @return whether the last line has no end: then it may be cut, and is left out
/// @throws Error when the file cannot be read; Error (usage) for a line longer than any result has
[[nodiscard]] bool read_lines(std::istream& in, const std::string& name, const LineSink& sink);

} // namespace memtest
