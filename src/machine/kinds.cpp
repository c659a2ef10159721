#include "memtest/machine/kinds.hpp"

#include "memtest/base/text.hpp"
#include "memtest/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>

namespace memtest {
namespace {

/// The name without the revision of an Arm core and what else may follow.
std::string short_name(const std::string& cpu_name) {
    std::string name = cpu_name.substr(0, cpu_name.find(" ("));
    const std::size_t last = name.rfind(" r");
    if (last != std::string::npos && leading_number(name.substr(last + 2)))
        name.resize(last);
    std::ranges::replace(name, ' ', '-');
    return name;
}

std::vector<std::uint64_t> cache_sizes(const Processor& processor) {
    std::vector<std::uint64_t> sizes;
    for (const Cache& cache : processor.caches)
        sizes.push_back(cache.size_bytes);
    return sizes;
}

/// Whether two values are the same as far as they are known.
bool agree(const auto& a, const auto& b) {
    return a.empty() || b.empty() || a == b;
}

/// Whether the capacities, or those per clock, are about the same as far as they are known. On Arm the kernel's
/// capacity contains the max frequency, but without a description of the machine it is the same for all.
bool have_similar_capacity(const Processor& a, const Processor& b) {
    constexpr double clearly = 1.1;
    if (!a.capacity || !b.capacity)
        return true;
    const auto are_similar = [](double x, double y) { return std::max(x, y) <= clearly * std::min(x, y); };
    const auto first = static_cast<double>(*a.capacity);
    const auto second = static_cast<double>(*b.capacity);
    return are_similar(first, second) ||
           (a.max_khz && b.max_khz &&
            are_similar(first * static_cast<double>(*b.max_khz), second * static_cast<double>(*a.max_khz)));
}

bool are_alike(const Processor& a, const Processor& b) {
    return agree(a.type, b.type) && agree(short_name(a.name), short_name(b.name)) &&
           agree(cache_sizes(a), cache_sizes(b)) && have_similar_capacity(a, b);
}

/// What may name a kind, the best first.
std::vector<std::string> traits_of(const Processor& processor) {
    constexpr int highest_level = 4;
    std::vector<std::string> traits{processor.type, short_name(processor.name)};
    for (int level = highest_level; level > 0; --level) {
        const auto cache = std::ranges::find(processor.caches, level, &Cache::level);
        std::string size = cache == processor.caches.end() ? "" : human_size(cache->size_bytes);
        std::erase(size, ' ');
        traits.push_back(size.empty() ? fmt::format("no-L{}", level) : fmt::format("L{}-{}", level, size));
    }
    traits.push_back(processor.capacity ? fmt::format("capacity-{}", *processor.capacity) : "");
    return traits;
}

/// Adds a trait to those names that several kinds share, if it distinguishes them.
void add_trait(std::vector<std::string>& names, const std::vector<std::vector<std::string>>& traits,
               std::size_t trait) {
    std::map<std::string, std::vector<std::size_t>> sharers;
    for (std::size_t kind = 0; kind < names.size(); ++kind)
        sharers[names[kind]].push_back(kind);
    for (const auto& [name, kinds] : sharers) {
        const std::string& first = traits[kinds.front()][trait];
        if (std::ranges::all_of(kinds, [&](std::size_t kind) { return traits[kind][trait] == first; }))
            continue;
        for (const std::size_t kind : kinds) {
            const std::string& own = traits[kind][trait];
            names[kind] += fmt::format("{}{}", name.empty() || own.empty() ? "" : "-", own);
        }
    }
}

} // namespace

std::vector<CoreKind> kinds_of(const std::vector<Processor>& processors) {
    std::vector<CoreKind> kinds;
    std::vector<Processor> firsts;
    for (const Processor& processor : processors) {
        const auto alike =
            std::ranges::find_if(firsts, [&](const Processor& first) { return are_alike(first, processor); });
        const auto place = static_cast<std::size_t>(alike - firsts.begin());
        if (alike == firsts.end()) {
            firsts.push_back(processor);
            kinds.emplace_back();
        }
        kinds[place].processors.push_back(processor.id);
    }
    std::vector<std::vector<std::string>> traits;
    for (const Processor& first : firsts)
        traits.push_back(traits_of(first));
    std::vector<std::string> names(kinds.size());
    for (std::size_t trait = 0; !traits.empty() && trait < traits.front().size(); ++trait)
        add_trait(names, traits, trait);
    for (std::size_t kind = 0; kind < kinds.size() && kinds.size() > 1; ++kind) {
        const std::string& name = names[kind];
        const bool is_ambiguous = name.empty() || std::ranges::count(names, name) > 1;
        kinds[kind].name = is_ambiguous ? fmt::format("{}-{}", name.empty() ? "kind" : name, kind + 1) : name;
    }
    return kinds;
}

const CoreKind& kind_with(const std::vector<CoreKind>& kinds, int processor) {
    return *std::ranges::find_if(
        kinds, [processor](const CoreKind& kind) { return std::ranges::count(kind.processors, processor) > 0; });
}

const CoreKind* kind_called(const std::vector<CoreKind>& kinds, std::string_view name) {
    const auto found = std::ranges::find_if(kinds, [wanted = lower_case(name)](const CoreKind& kind) {
        return !kind.name.empty() && lower_case(kind.name) == wanted;
    });
    return found == kinds.end() ? nullptr : &*found;
}

std::vector<Processor> with_kind_first(std::vector<Processor> processors, int processor) {
    if (std::ranges::find(processors, processor, &Processor::id) == processors.end())
        return processors;
    const std::vector<CoreKind> kinds = kinds_of(processors);
    const auto is_own = [&own = kind_with(kinds, processor)](const Processor& other) {
        return std::ranges::count(own.processors, other.id) > 0;
    };
    std::vector<Processor> ordered;
    std::ranges::copy_if(processors, std::back_inserter(ordered), is_own);
    std::ranges::copy_if(processors, std::back_inserter(ordered), std::not_fn(is_own));
    return ordered;
}

} // namespace memtest
