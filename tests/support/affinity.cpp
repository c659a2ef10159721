// Gives the processors back that a test took from its thread, so that each has those of the first.

#include <gtest/gtest.h>

#include <sched.h>

#include <memory>

namespace memtest {
namespace {

class KeptAffinity : public testing::EmptyTestEventListener {
public:
    void OnTestStart(const testing::TestInfo& /*test*/) override {
        is_known_ = sched_getaffinity(0, sizeof(before_), &before_) == 0;
    }

    void OnTestEnd(const testing::TestInfo& /*test*/) override {
        if (is_known_)
            sched_setaffinity(0, sizeof(before_), &before_);
    }

private:
    cpu_set_t before_{};
    bool is_known_ = false;
};

[[maybe_unused]] const bool is_kept = [] {
    testing::UnitTest::GetInstance()->listeners().Append(std::make_unique<KeptAffinity>().release());
    return true;
}();

} // namespace
} // namespace memtest
