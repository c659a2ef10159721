#pragma once

namespace memtest {

/// While it lives, one allocation of the calling thread fails: the one after this many.
class FailingAllocation {
public:
    explicit FailingAllocation(long allocations_before);
    ~FailingAllocation();

    FailingAllocation(const FailingAllocation&) = delete;
    FailingAllocation& operator=(const FailingAllocation&) = delete;
    FailingAllocation(FailingAllocation&&) = delete;
    FailingAllocation& operator=(FailingAllocation&&) = delete;

    [[nodiscard]] static bool has_failed();
};

} // namespace memtest
