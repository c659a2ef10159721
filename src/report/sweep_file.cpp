#include "memtest/report/sweep_file.hpp"

#include "memtest/base/error.hpp"
#include "memtest/report/sweep_readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <istream>
#include <memory>
#include <streambuf>
#include <string_view>
#include <system_error>

namespace memtest {
namespace {

// More than 4096 processors at 1000 sizes have. Without limits, input that does not end would take all memory.
constexpr std::size_t most_rows = 4'100'000;
constexpr std::size_t most_warnings = 1000;
constexpr std::size_t most_bytes = std::size_t{512} << 20U;

/// A file to be read as a stream. Reading throws an Error where the system refuses, and beyond `most_bytes`.
class FileInput : public std::streambuf {
public:
    FileInput(std::FILE* file, std::string_view name) : file_(file), name_(name) {}

protected:
    int_type underflow() override {
        const std::size_t count = std::fread(buffer_.data(), 1, buffer_.size(), file_);
        if (count == 0 && std::ferror(file_) != 0)
            throw Error(fmt::format("{}: cannot be read: {}", name_, std::generic_category().message(errno)));
        if (count == 0)
            return traits_type::eof();
        taken_ += count;
        if (taken_ > most_bytes)
            throw usage_error(fmt::format("{}: holds more than {} MiB, which no sweep does", name_, most_bytes >> 20U));
        setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
        return traits_type::to_int_type(buffer_[0]);
    }

private:
    std::FILE* file_;
    std::string_view name_;
    std::size_t taken_ = 0;
    std::array<char, std::size_t{64} * 1024> buffer_{};
};

StoredSweep read_stream(std::FILE* file, const std::string& name) {
    FileInput input(file, name);
    std::istream in(&input);
    in.exceptions(std::ios::badbit); // lets pass what the input throws
    return read_sweep(in, name);
}

/// Skips the mark that some editors put ahead of UTF-8. @throws Error (usage) for text in UTF-16
void skip_byte_order_mark(std::istream& in, const std::string& name) {
    const int first = in.peek();
    if (first == 0xff || first == 0xfe)
        throw usage_error(fmt::format("{}: is UTF-16; make it UTF-8 with iconv -f UTF-16 -t UTF-8", name));
    if (first != 0xef)
        return;
    std::array<char, 3> mark{};
    in.read(mark.data(), mark.size());
    if (std::string_view(mark.data(), mark.size()) != "\xef\xbb\xbf")
        throw usage_error(fmt::format("{}: is no text", name));
}

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

} // namespace

StoredRow& add_row(StoredSweep& sweep) {
    if (sweep.rows.size() == most_rows)
        throw usage_error(fmt::format("{}: holds more than {} rows, which no sweep does", sweep.name, most_rows));
    return sweep.rows.emplace_back();
}

void add_warning(StoredSweep& sweep, std::string_view sentence) {
    if (sweep.warnings.size() < most_warnings)
        sweep.warnings.emplace_back(sentence);
}

std::vector<int> StoredSweep::threads() const {
    std::vector<int> result;
    for (const StoredRow& row : rows)
        result.push_back(row.thread);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

std::optional<std::string> why_incomplete(const StoredSweep& sweep) {
    if (sweep.cut)
        return "is cut: its last line has no end";
    if (sweep.run.end && !sweep.run.end->complete())
        return fmt::format("has {} of {} sizes{}", sweep.run.end->sizes_measured, sweep.run.end->sizes_planned,
                           sweep.run.end->interrupted ? ": its run was interrupted or failed" : "");
    if (!sweep.run.end && sweep.run.version)
        return "does not say how its run ended";
    return std::nullopt;
}

StoredSweep read_sweep(std::istream& in, const std::string& name) {
    StoredSweep sweep;
    sweep.name = name;
    skip_byte_order_mark(in, name);
    const int first = in.peek();
    if (first == '{' || first == '[')
        read_json(in, sweep);
    else
        read_csv(in, sweep);
    if (sweep.rows.empty())
        throw usage_error(fmt::format("{}: holds no {}rows", name, sweep.cut ? "whole " : ""));
    return sweep;
}

StoredSweep read_sweep_file(const std::string& path) {
    if (path == "-")
        return read_stream(stdin, "standard input");
    if (path.empty())
        throw usage_error("'' is no name of a file; give the name of a stored sweep, or - for standard input");
    const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "r"));
    if (file == nullptr)
        throw usage_error(fmt::format("{}: cannot be opened: {}", path, std::generic_category().message(errno)));
    return read_stream(file.get(), path);
}

} // namespace memtest
