#include "memtest/result/code_entry.hpp"

#include "memtest/base/id_list.hpp"
#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <vector>

namespace memtest {
namespace {

std::string text_of_element(const Value& element) {
    return text_of(element);
}

} // namespace

double NoticeValues::number(std::string_view name) const {
    return values_[name].number().value_or(std::numeric_limits<double>::quiet_NaN());
}

std::string NoticeValues::filled(std::string_view pattern) const {
    std::string text;
    for (;;) {
        const std::size_t open = pattern.find('{');
        text += pattern.substr(0, open);
        if (open == std::string_view::npos)
            return text;
        const std::size_t close = pattern.find('}', open);
        const std::string_view field = pattern.substr(open + 1, close - open - 1);
        const std::size_t colon = std::min(field.find(':'), field.size());
        text += in_form(field.substr(0, colon), field.substr(std::min(colon + 1, field.size())));
        pattern.remove_prefix(close + 1);
    }
}

std::string NoticeValues::in_form(std::string_view name, std::string_view form) const {
    if (form.empty())
        return text(name);
    if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
        const Value& part = values_[name.substr(0, slash)];
        return counted_of(part.is_list() ? part.list().size() : part.count().value_or(0), count(name.substr(slash + 1)),
                          form);
    }
    if (form == "size")
        return rounded_size(number(name));
    if (form == "ns")
        return text_of(number(name), significant(3));
    if (form == "list") {
        std::vector<std::string> names;
        std::ranges::transform(list(name), std::back_inserter(names), text_of_element);
        return listed(names, " and ");
    }
    if (form == "some")
        return some_of(list(name), text_of_element);
    if (form == "ids")
        return ids_in(values_[name]);
    if (form == "writes")
        return has(name) ? fmt::format("writes {} %: ", count(name)) : "";
    if (const std::size_t bar = form.find('|'); bar != std::string_view::npos) {
        const bool is_one = values_[name].is_list() ? list(name).size() == 1 : number(name) == 1;
        return std::string(is_one ? form.substr(0, bar) : form.substr(bar + 1));
    }
    return fmt::format(fmt::runtime(fmt::format("{{:{}}}", form)), number(name));
}

std::string ids_in(const Value& list) {
    std::vector<int> ids;
    return read_value(list, ids) ? format_ids(ids) : "";
}

std::string each_filled(const List& list, std::string_view between, std::string_view pattern) {
    return joined(list, between, [&](const Value& values) { return NoticeValues(values).filled(pattern); });
}

std::string listed(std::span<const std::string> names, std::string_view last_between) {
    if (names.size() < 2)
        return names.empty() ? "" : names.front();
    return fmt::format("{}{}{}", joined(names.first(names.size() - 1), ", ", std::identity()), last_between,
                       names.back());
}

std::string some_of(const List& list, std::string (*text_of_one)(const Value&)) {
    constexpr std::size_t most = 4;
    if (list.size() <= most + 1)
        return joined(list, ", ", text_of_one);
    return fmt::format("{} and {} more", joined(std::span(list).first(most), ", ", text_of_one), list.size() - most);
}

} // namespace memtest
