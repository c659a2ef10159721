#include "memtest/result/result_reader.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/result/csv_reader.hpp"
#include "memtest/result/json.hpp"
#include "memtest/result/result_taker.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <istream>
#include <memory>
#include <new>
#include <set>
#include <streambuf>
#include <string_view>
#include <utility>

namespace memtest {
namespace {

constexpr std::size_t most_bytes = std::size_t{512} << 20U; // endless input (/dev/zero) would exhaust the memory

/// Skips the byte order mark that some editors put before UTF-8. @throws Error (usage) for text in UTF-16
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

std::FILE* opened(const std::string& path) {
    if (path == "-")
        return stdin;
    if (path.empty())
        throw usage_error("'' is not a file name; give the name of a stored sweep, or - for standard input");
    std::FILE* file = std::fopen(path.c_str(), "r");
    if (file == nullptr && errno == ENOMEM)
        throw std::bad_alloc();
    if (file == nullptr)
        throw usage_error(fmt::format("{}: cannot be opened: {}", path, system_reason()));
    return file;
}

void close_input(std::FILE* file) {
    if (file != stdin)
        std::fclose(file);
}

/// Reads a stream from a file. Throws if the system refuses, and if there is more than any result holds.
class FileBuffer : public std::streambuf {
public:
    FileBuffer(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {}

private:
    int_type underflow() override {
        const std::size_t count = std::fread(buffer_.data(), 1, buffer_.size(), file_);
        if (count == 0 && std::ferror(file_) != 0)
            throw Error(fmt::format("{}: cannot be read: {}", name_, system_reason()),
                        errno == EISDIR ? ExitStatus::usage : ExitStatus::failure);
        if (count == 0)
            return traits_type::eof();
        taken_ += count;
        if (taken_ > most_bytes)
            throw usage_error(
                fmt::format("{}: holds more than {} MiB, which no result does", name_, most_bytes >> 20U));
        setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
        return traits_type::to_int_type(buffer_[0]);
    }

    std::FILE* file_;
    std::string name_;
    std::size_t taken_ = 0;
    std::array<char, std::size_t{64} * 1024> buffer_{};
};

/// Whether it is the part of a report that measures a single size.
bool is_of_one_size(const Result& result) {
    const ReportPart* const part = part_called(result.part);
    return part != nullptr && part->is_of_one_size;
}

Value document_in(std::istream& in, const std::string& name) {
    try {
        return parse_json(in, name);
    } catch (const NoJson& at) {
        if (in.eof())
            throw usage_error(fmt::format("{}: is truncated: its JSON has no end, so none of it is read", name));
        throw usage_error(fmt::format("{}: is not valid JSON at byte {}", name, at.byte));
    }
}

Result result_in(const Value& document, std::string name, std::string part) {
    Result result{.name = std::move(name), .part = std::move(part)};
    ResultTaker(result).take_document(document);
    return result;
}

/// Refuses a part whose pages or chains are those of another part.
void check_part(const Result& part) {
    const auto& [pages, chains] = std::pair(part.run.pages, part.run.parallel);
    const bool wrong_pages = pages && ((part.part == "sweep" && pages != PageKind::base) ||
                                       (part.part == "huge" && pages == PageKind::base));
    const bool wrong_chains =
        chains && section_of_part(part.part) == "parallel" && part.part != fmt::format("parallel{}", *chains);
    if (wrong_pages || wrong_chains)
        throw usage_error(fmt::format("{}: contradicts itself: the part was measured with {}", part.name,
                                      wrong_pages ? fmt::format("--pages {}", word_of(*pages))
                                                  : fmt::format("--parallel {}", *chains)));
}

void take_parts(StoredFile& file, const Value& document) {
    if (!document["parts"].has_members())
        throw usage_error(fmt::format("{}: holds no `parts`, which a report has", file.name));
    for (const auto& [part, of_part] : document["parts"].members()) {
        const Kind* const kind = kind_of_part(part);
        if (kind == nullptr) // of a later version
            continue;
        Result result = result_in(of_part, fmt::format("{} ({})", file.name, part), part);
        check_rows(result);
        check_kind(result, *kind);
        check_part(result);
        file.results.push_back(std::move(result));
    }
    for (const Value& missing : document["missing"].list())
        file.missing.push_back({text_of(missing["part"]), text_of(missing["reason"])});
}

/// Reads a JSON document: a result, or the parts of a report. @throws Error (usage) if it is neither, or truncated
void read_json_document(StoredFile& file, std::istream& in) {
    const Value document = document_in(in, file.name);
    file.is_report = text_of(document["command"]) == "report";
    if (!file.is_report)
        return file.results.push_back(result_in(document, file.name, ""));
    check_schema(document, file.name);
    take_parts(file, document);
}

} // namespace

StoredFile read_file(std::istream& in, const std::string& name, const std::optional<TableColumns>& columns) {
    StoredFile file{.name = name};
    skip_byte_order_mark(in, name);
    const int first = in.peek();
    if (first == 0x1f || first == 0xfd || (first == '(' && name.ends_with(".zst"))) // gzip, xz, Zstandard
        throw usage_error(fmt::format("{}: is compressed; decompress it first, as with gzip -d", name));
    if (first == '<')
        throw usage_error(
            fmt::format("{}: looks like a page; give the report's JSON file (FILE.json beside FILE.html)", name));
    if (first == '{')
        read_json_document(file, in);
    else
        read_csv(file.results.emplace_back(Result{.name = name}), in, columns);
    if (!file.is_report)
        check_rows(file.results.front());
    return file;
}

StoredFile read_file(const std::string& path, const std::optional<TableColumns>& columns) {
    const std::unique_ptr<std::FILE, void (*)(std::FILE*)> file(opened(path), close_input);
    const std::string name = path == "-" ? "standard input" : path;
    FileBuffer buffer(file.get(), name);
    std::istream in(&buffer);
    in.exceptions(std::ios::badbit); // passes on what the buffer throws
    return read_file(in, name, columns);
}

void keep_parts(StoredFile& file, const std::vector<std::string>& names) {
    const auto is_named = [](const Result& part, std::string_view name) {
        return part.part == name || section_of_part(part.part) == name;
    };
    for (const std::string& name : names) {
        if (std::ranges::none_of(file.results, [&](const Result& part) { return is_named(part, name); }))
            throw usage_error(fmt::format("--part {}: not among the parts of {}: {}", shown(name), file.name,
                                          joined(file.results, ", ", &Result::part)));
    }
    std::erase_if(file.results, [&](const Result& part) {
        return !names.empty() &&
               std::ranges::none_of(names, [&](const std::string& name) { return is_named(part, name); });
    });
}

Result chosen_result(StoredFile file, const Kind* kind, const std::optional<std::string>& part) {
    std::vector<Result>& results = file.results;
    if (!file.is_report) {
        if (kind != nullptr)
            check_kind(results.front(), *kind);
        return std::move(results.front());
    }
    std::erase_if(results, [&](const Result& result) { return kind != nullptr && result.kind != kind; });
    const std::string names = results.empty() ? "none" : joined(results, ", ", &Result::part);
    if (part) {
        const auto named = std::ranges::find(results, *part, &Result::part);
        if (named == results.end())
            throw usage_error(
                fmt::format("--part {}: not among the parts of {} that fit: {}", shown(*part), file.name, names));
        return std::move(*named);
    }
    if (!std::ranges::all_of(results, is_of_one_size))
        std::erase_if(results, is_of_one_size);
    if (results.empty())
        throw usage_error(fmt::format("{}: no part of this report fits, and {} is needed here", file.name,
                                      kind == nullptr ? "a result" : described(*kind)));
    if (results.size() > 1)
        throw usage_error(fmt::format("{}: is a report; choose one of its parts with --part: {}", file.name, names));
    return std::move(results.front());
}

Result read_result(std::istream& in, const std::string& name) {
    return chosen_result(read_file(in, name), nullptr, std::nullopt);
}

Result read_result(const std::string& path, const Kind* kind, const std::optional<std::string>& part,
                   const std::optional<TableColumns>& columns) {
    return chosen_result(read_file(path, columns), kind, part);
}

void check_standard_input(const std::vector<std::string>& files) {
    if (std::ranges::count(files, "-") > 1)
        throw usage_error("'-', which is standard input, may be given once");
}

std::optional<std::string> given_twice(const std::vector<std::string>& files) {
    std::set<std::string> names;
    std::set<std::pair<dev_t, ino_t>> places;
    for (const std::string& file : files) {
        struct stat facts {};
        const bool is_known = stat(file.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
        if (!names.insert(file).second || (is_known && !places.emplace(facts.st_dev, facts.st_ino).second))
            return file;
    }
    return std::nullopt;
}

} // namespace memtest
