#include "memtest/result/code_entry.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"

#include <fmt/format.h>

#include <limits>

namespace memtest {

double NoticeValues::number(std::string_view name) const {
    return values_[name].number().value_or(std::numeric_limits<double>::quiet_NaN());
}

std::string NoticeValues::things(std::string_view name, std::string_view thing) const {
    return counted(count(name), thing);
}

std::string ids_in(const Value& list) {
    std::vector<int> ids;
    return read_value(list, ids) ? format_ids(ids) : "";
}

std::string sizes_in(const NoticeValues& range) {
    return size_range(range.number("from_bytes"), range.number("to_bytes"));
}

std::string listed(const List& list, std::string_view between) {
    return joined(list, between, [](const Value& element) { return text_of(element); });
}

std::string some_of(const List& list, std::string (*text_of_one)(const Value&)) {
    constexpr std::size_t most = 4;
    if (list.size() <= most + 1)
        return joined(list, ", ", text_of_one);
    return fmt::format("{} and {} more", joined(std::span(list).first(most), ", ", text_of_one), list.size() - most);
}

std::string some_of(const List& names) {
    return some_of(names, [](const Value& name) { return text_of(name); });
}

std::string of_writes(const NoticeValues& v) {
    return v.has("write_percent") ? fmt::format("writes {} %: ", v.count("write_percent")) : "";
}

} // namespace memtest
