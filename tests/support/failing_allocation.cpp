#include "support/failing_allocation.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr long never = -1;
thread_local long left = never; // allocations until one fails

} // namespace

void* operator new(std::size_t bytes) {
    void* memory = left != never && left-- == 0 ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
    std::free(memory);
}

namespace memtest {

FailingAllocation::FailingAllocation(long allocations_before) {
    left = allocations_before;
}

FailingAllocation::~FailingAllocation() {
    left = never;
}

bool FailingAllocation::has_failed() {
    return left == never;
}

} // namespace memtest
