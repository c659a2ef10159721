#include "memtest/measure/student_t.hpp"

#include <gtest/gtest.h>

#include <array>

namespace memtest {
namespace {

struct TableEntry {
    int degrees_of_freedom;
    double upper_tail;
    double t;
};

// From the usual printed tables.
constexpr std::array<TableEntry, 13> table{{
    {1, 0.05, 6.314},
    {1, 0.005, 63.657},
    {2, 0.05, 2.920},
    {2, 0.005, 9.925},
    {3, 0.025, 3.182},
    {4, 0.005, 4.604},
    {5, 0.025, 2.571},
    {6, 0.005, 3.707},
    {6, 0.0005, 5.959},
    {7, 0.01, 2.998},
    {10, 0.05, 1.812},
    {30, 0.025, 2.042},
    {120, 0.05, 1.658},
}};

TEST(StudentT, QuantilesAreThoseOfThePrintedTables) {
    for (const TableEntry& entry : table)
        EXPECT_NEAR(student_t_quantile(entry.upper_tail, entry.degrees_of_freedom), entry.t, 0.0006)
            << entry.degrees_of_freedom << " degrees of freedom, " << entry.upper_tail;
}

TEST(StudentT, TheTailIsSymmetric) {
    EXPECT_DOUBLE_EQ(student_t_upper_tail(0, 5), 0.5);
    for (const int degrees_of_freedom : {1, 2, 3, 4, 9})
        EXPECT_NEAR(student_t_upper_tail(1.3, degrees_of_freedom) + student_t_upper_tail(-1.3, degrees_of_freedom), 1,
                    1e-12);
}

TEST(StudentT, AMillionTestsStillHaveAQuantile) {
    EXPECT_NEAR(student_t_upper_tail(student_t_quantile(2e-8, 4), 4), 2e-8, 1e-10);
}

} // namespace
} // namespace memtest
