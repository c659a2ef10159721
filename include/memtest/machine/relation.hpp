#pragma once

#include "memtest/base/words.hpp"

#include <array>

namespace memtest {

/// The relation of processors to each other, as the system reports it.
enum class Relation { same_core, same_last_cache, same_package, different_packages };

template<>
inline constexpr std::array<Word<Relation>, 4> word_table<Relation>{
    {{Relation::same_core, "same core"},
     {Relation::same_last_cache, "same last-level cache"},
     {Relation::same_package, "same package"},
     {Relation::different_packages, "different packages"}}};

} // namespace memtest
