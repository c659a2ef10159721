#include "memtest/result/result_reader.hpp"

#include "memtest/base/error.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
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
#include <memory>
#include <new>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace memtest {
namespace {

constexpr std::size_t most_bytes = std::size_t{512} << 20U; // endless input (/dev/zero) would exhaust the memory

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

/// @throws Error (usage) if it cannot be opened, or holds more than any result; Error if it cannot be read
std::string text_in(const std::string& path, const std::string& name) {
    const std::unique_ptr<std::FILE, void (*)(std::FILE*)> file(opened(path), close_input);
    std::string text;
    std::array<char, std::size_t{64} * 1024> part{};
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), file.get())) {
        text.append(part.data(), count);
        if (text.size() > most_bytes)
            throw usage_error(fmt::format("{}: holds more than {} MiB, which no result does", name, most_bytes >> 20U));
    }
    if (std::ferror(file.get()) != 0)
        throw Error(fmt::format("{}: cannot be read: {}", name, system_reason()),
                    errno == EISDIR ? ExitStatus::usage : ExitStatus::failure);
    return text;
}

/// Refuses a result of another kind.
void check_kind(const Result& result, const Kind& kind) {
    if (result.kind != &kind)
        throw usage_error(
            fmt::format("{}: holds {}, and {} is needed here", result.name, described(*result.kind), described(kind)));
}

/// Refuses a sweep that has a size twice for one thread, as two runs in one file do.
void check_sizes(const Result& sweep) {
    constexpr std::size_t least = 2 * kib; // below, two sizes may have the same five decimals in MiB
    std::vector<std::pair<int, std::size_t>> sizes;
    for (const Row& row : sweep.rows_of<Row>()) {
        if (row.size_bytes >= least)
            sizes.emplace_back(row.thread, row.size_bytes);
    }
    std::ranges::sort(sizes);
    if (const auto twice = std::ranges::adjacent_find(sizes); twice != sizes.end())
        throw usage_error(fmt::format("{}: {} stands twice for thread {}; give one run in each file", sweep.name,
                                      human_size(twice->second), twice->first));
}

/// Refuses a result without rows, and a sweep that has a size twice for one thread.
void check_rows(const Result& result) {
    if (result.row_count() == 0)
        throw usage_error(fmt::format("{}: holds no {}rows", result.name, result.cut ? "complete " : ""));
    if (std::holds_alternative<std::vector<Row>>(result.rows))
        check_sizes(result);
}

Result result_in(const Value& document, std::string name, std::string part) {
    Result result{.name = std::move(name), .part = std::move(part)};
    take_document(result, document);
    return result;
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
        file.results.push_back(std::move(result));
    }
    for (const Value& missing : document["missing"].list())
        file.missing.push_back({text_of(missing["part"]), text_of(missing["reason"])});
}

/// Reads a JSON document: a result, or the parts of a report. @throws Error (usage) if it is neither, or truncated
void read_json_document(StoredFile& file, std::string_view text) {
    const Value document = parse_json(text, file.name + ":");
    file.is_report = text_of(document["command"]) == "report";
    if (!file.is_report)
        return file.results.push_back(result_in(document, file.name, ""));
    check_schema(document, file.name);
    take_parts(file, document);
}

} // namespace

StoredFile parse_file(std::string_view text, const std::string& name, const std::optional<TableColumns>& columns) {
    StoredFile file{.name = name};
    if (text.starts_with('\xff') || text.starts_with('\xfe'))
        throw usage_error(fmt::format("{}: is UTF-16; make it UTF-8 with iconv -f UTF-16 -t UTF-8", name));
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf"; // some editors put it before UTF-8
    if (text.starts_with(byte_order_mark))
        text.remove_prefix(byte_order_mark.size());
    else if (text.starts_with(byte_order_mark.front()))
        throw usage_error(fmt::format("{}: is not text", name));
    if (text.starts_with('\x1f') || text.starts_with('\xfd') || // gzip, xz, Zstandard
        (text.starts_with('(') && name.ends_with(".zst")))
        throw usage_error(fmt::format("{}: is compressed; decompress it first, as with gzip -d", name));
    if (text.starts_with('<'))
        throw usage_error(
            fmt::format("{}: looks like a page; give the report's JSON file (FILE.json beside FILE.html)", name));
    if (text.starts_with('{'))
        read_json_document(file, text);
    else
        read_csv(file.results.emplace_back(Result{.name = name}), text, columns);
    if (!file.is_report)
        check_rows(file.results.front());
    return file;
}

StoredFile read_file(const std::string& path, const std::optional<TableColumns>& columns) {
    const std::string name = path == "-" ? "standard input" : path;
    return parse_file(text_in(path, name), name, columns);
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
    const auto is_of_one_size = [](const Result& result) { return section_of_part(result.part) == "parallel"; };
    if (!std::ranges::all_of(results, is_of_one_size))
        std::erase_if(results, is_of_one_size);
    if (results.empty())
        throw usage_error(fmt::format("{}: no part of this report fits, and {} is needed here", file.name,
                                      kind == nullptr ? "a result" : described(*kind)));
    if (results.size() > 1)
        throw usage_error(fmt::format("{}: is a report; choose one of its parts with --part: {}", file.name, names));
    return std::move(results.front());
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
