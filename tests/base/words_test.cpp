#include "memtest/base/words.hpp"

#include "memtest/chain/cycle.hpp"
#include "memtest/insight/figure_change.hpp"
#include "memtest/insight/levels.hpp"
#include "memtest/machine/counters.hpp"
#include "memtest/machine/pages.hpp"
#include "memtest/measure/row.hpp"
#include "memtest/measure/statistics.hpp"
#include "memtest/result/output_file.hpp"
#include "support/test.hpp"

namespace memtest {
namespace {

template<class Enum>
class WordTable : public testing::Test {};

using Enums = testing::Types<Order, Link, PageKind, Counter, Estimate, Note, Confidence, Verdict, Format>;
TYPED_TEST_SUITE(WordTable, Enums, );

TYPED_TEST(WordTable, EachValueHasAWordOfItsOwnThatIsReadBack) {
    std::set<std::string_view> seen;
    for (const TypeParam value : all_values<TypeParam>()) {
        const std::string_view word = word_of(value);
        EXPECT_FALSE(word.empty());
        EXPECT_TRUE(seen.insert(word).second) << word;
        EXPECT_EQ(value_of<TypeParam>(word), value) << word;
    }
    EXPECT_EQ(all_words<TypeParam>().size(), seen.size());
    EXPECT_EQ(value_of<TypeParam>("no such word"), std::nullopt);
}

TYPED_TEST(WordTable, ListsTheValuesInTheirOrderWithoutAGap) {
    int expected = 0;
    for (const TypeParam value : all_values<TypeParam>())
        EXPECT_EQ(static_cast<int>(value), expected++) << word_of(value);
}

} // namespace
} // namespace memtest
