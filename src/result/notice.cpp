#include "memtest/result/notice.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"
#include "memtest/result/code_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace memtest {
namespace {

const CodeEntry& entry_of(Code code) {
    const auto entry = std::ranges::find(code_entries(), code, &CodeEntry::code);
    require(entry != code_entries().end(), "each code has a word and a text");
    return *entry;
}

} // namespace

std::span<const CodeEntry> code_entries() {
    static const std::vector<CodeEntry> entries = [] {
        std::vector<CodeEntry> all;
        for (const std::span<const CodeEntry> some : {warning_codes(), finding_codes()})
            all.insert(all.end(), some.begin(), some.end());
        return all;
    }();
    return entries;
}

Notice::Notice(Code its_code, Members its_values) : code(its_code), values(std::move(its_values)) {
    const CodeEntry& entry = entry_of(code);
    const NoticeValues v(values);
    const NoticeText made =
        entry.text != nullptr ? entry.text(v) : NoticeText{v.filled(entry.fact), v.filled(entry.advice)};
    text = escaped(made.fact);
    advice = escaped(made.advice);
}

Notice with_value(const Notice& notice, std::string_view name, Value value) {
    Members values = notice.values;
    values.set(name, std::move(value));
    return {notice.code, std::move(values)};
}

std::string row_name(double size_bytes, double load_percent) {
    return rounded_size(size_bytes) + (load_percent >= 100 ? " under full load"
                                       : load_percent > 0  ? fmt::format(" under {:.0f} % load", load_percent)
                                                           : "");
}

std::string_view word_of(Code code) {
    return entry_of(code).word;
}

Code code_called(std::string_view word) {
    const auto entry = std::ranges::find(code_entries(), word, &CodeEntry::word);
    return entry == code_entries().end() ? Code::unknown : entry->code;
}

std::string sentence_of(const Notice& notice) {
    return notice.text + (notice.advice.empty() ? "" : "; " + notice.advice);
}

Members code_and_values(const Notice& notice) {
    Members members{{"code", word_of(notice.code)}};
    members.set(notice.values);
    return members;
}

Members members_of(const Notice& notice) {
    Members members = code_and_values(notice);
    members.set("text", notice.text);
    if (!notice.advice.empty())
        members.set("advice", notice.advice);
    return members;
}

List list_of(const std::vector<Notice>& notices, Members (*members)(const Notice&)) {
    List list;
    for (const Notice& notice : notices)
        list.emplace_back(members(notice));
    return list;
}

Notice notice_in(const Value& value) {
    const std::string word = text_of(value["code"]);
    const std::string text = text_of(value["text"]);
    Members values = value.members();
    for (const char* name : {"code", "text", "advice"})
        values.erase(name);
    if (const Code code = code_called(word); code != Code::unknown && text.empty())
        return {code, std::move(values)};
    Notice notice;
    notice.code = code_called(word);
    notice.values = std::move(values);
    notice.text = escaped(!text.empty() ? text : word.empty() ? std::string(word_of(Code::unknown)) : word);
    notice.advice = escaped(text_of(value["advice"]));
    return notice;
}

bool is_disturbance(const Notice& warning) {
    constexpr std::array disturbances{Code::busy_machine, Code::others_used, Code::cpu_quota, Code::throttled,
                                      Code::processors_moved};
    return std::ranges::find(disturbances, warning.code) != disturbances.end();
}

bool is_on_plan(const Notice& warning) {
    constexpr std::array on_plan{Code::frequency_governor, Code::other_line_size,     Code::threads_share_cores,
                                 Code::not_pinned,         Code::memory_file_on_disk, Code::several_kinds};
    return std::ranges::find(on_plan, warning.code) != on_plan.end();
}

} // namespace memtest
