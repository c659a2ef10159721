#include "memtest/report/input_file.hpp"

#include "memtest/base/error.hpp"

#include <fmt/format.h>

#include <vector>

namespace memtest {
namespace {

// Without limits, input that does not end (/dev/zero) would take all memory.
constexpr std::size_t most_bytes = std::size_t{512} << 20U;
constexpr std::size_t max_line_length = std::size_t{64} * 1024; // a list of 4096 processors takes 20 KiB

std::FILE* opened(const std::string& path) {
    if (path == "-")
        return stdin;
    if (path.empty())
        throw usage_error("'' is not a file name; give the name of a stored sweep, or - for standard input");
    std::FILE* file = std::fopen(path.c_str(), "r");
    if (file == nullptr)
        throw usage_error(fmt::format("{}: cannot be opened: {}", path, system_reason()));
    return file;
}

} // namespace

InputFile::InputFile(const std::string& path) : name_(path == "-" ? "standard input" : path), file_(opened(path)) {
    stream_.exceptions(std::ios::badbit); // lets pass what underflow throws
}

void InputFile::Close::operator()(std::FILE* file) const {
    if (file != stdin)
        std::fclose(file);
}

InputFile::int_type InputFile::underflow() {
    const std::size_t count = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
    if (count == 0 && std::ferror(file_.get()) != 0)
        throw Error(fmt::format("{}: cannot be read: {}", name_, system_reason()));
    if (count == 0)
        return traits_type::eof();
    taken_ += count;
    if (taken_ > most_bytes)
        throw usage_error(fmt::format("{}: holds more than {} MiB, which no result does", name_, most_bytes >> 20U));
    setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
    return traits_type::to_int_type(buffer_[0]);
}

std::string_view InputFile::head() {
    static_cast<void>(stream_.peek());
    stream_.clear(); // of the end that peek may have met
    return {gptr(), static_cast<std::size_t>(egptr() - gptr())};
}

void skip_byte_order_mark(std::istream& in, const std::string& name) {
    const int first = in.peek();
    if (first == 0xff || first == 0xfe)
        throw usage_error(fmt::format("{}: is UTF-16; make it UTF-8 with iconv -f UTF-16 -t UTF-8", name));
    if (first != 0xef)
        return;
    std::array<char, 3> mark{};
    in.read(mark.data(), mark.size());
    if (std::string_view(mark.data(), mark.size()) != "\xef\xbb\xbf")
        throw usage_error(fmt::format("{}: is not text", name));
}

bool read_lines(std::istream& in, const std::string& name, const LineSink& sink) {
    std::vector<char> line(max_line_length + 1);
    std::size_t number = 0;
    bool cut = false;
    while (in.getline(line.data(), static_cast<std::streamsize>(line.size()))) {
        // A cut line lacks its end, which gcount counts; its last number may lack digits.
        cut = in.eof();
        ++number;
        if (!cut)
            sink({line.data(), static_cast<std::size_t>(in.gcount()) - 1}, number);
    }
    if (in.bad())
        throw Error(fmt::format("{}: cannot be read", name));
    if (!in.eof())
        throw usage_error(fmt::format("{}:{}: the line is too long for a result", name, number + 1));
    return cut;
}

} // namespace memtest
