#pragma once

#include <unistd.h>

namespace memtest {

/// A file descriptor, closed when it goes out of scope.
class Descriptor {
public:
    explicit Descriptor(int number) noexcept : number_(number) {}
    ~Descriptor() { close(number_); }

    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Descriptor(Descriptor&&) = delete;
    Descriptor& operator=(Descriptor&&) = delete;

    [[nodiscard]] int number() const noexcept { return number_; }

private:
    int number_;
};

} // namespace memtest
