#include "memtest/result/result.hpp"

#include "support/failing_allocation.hpp"

#include <gtest/gtest.h>

#include <new>
#include <string>
#include <vector>

namespace memtest {
namespace {

/// @returns whether the allocation after this many was one of the copy
bool fails_to_copy(const Result& result, long allocations_before) {
    const FailingAllocation one_fails(allocations_before);
    try {
        const Result copy = result; // NOLINT(performance-unnecessary-copy-initialization)
        EXPECT_EQ(copy.row_count(), result.row_count());
        return false;
    } catch (const std::bad_alloc&) {
        return true;
    }
}

TEST(Result, IsRefusedACopyWhicheverAllocationFails) {
    const Result result{.name = std::string(100, 'n'),
                        .rows = std::vector<NodesRow>(3),
                        .warnings = {{Code::busy_machine, {{"percent", 50}}}}};
    long allocations = 0;
    while (fails_to_copy(result, allocations))
        ++allocations;
    EXPECT_GT(allocations, 2); // the name, the rows, the warnings
}

} // namespace
} // namespace memtest
