#pragma once

#include "memtest/base/units.hpp"
#include "memtest/machine/machine.hpp"
#include "memtest/machine/processors.hpp"
#include "support/fake_system.hpp"
#include "support/test.hpp"

namespace memtest {

/// Tests on a machine made of files, with 8 GiB and a fine clock.
class OnAFakeMachine : public testing::Test {
protected:
    OnAFakeMachine() {
        machine.files = system.files();
        machine.available_bytes = 8192 * mib;
        machine.clock = {.cost_ns = 25, .resolution_ns = 25};
    }

    /// Lets the process use these processors, as the files describe them now.
    void allow(const std::vector<int>& processors) { machine.allowed = read_processors(system.files(), processors); }

    /// Reserves pages of 2 MiB, of which all are free.
    void reserve(int pages, const std::string& above = "/sys/kernel/mm") const {
        for (const char* file : {"nr_hugepages", "free_hugepages"})
            system.add(above + "/hugepages/hugepages-2048kB/" + file, std::to_string(pages) + "\n");
    }

    FakeSystem system;
    Machine machine;
};

} // namespace memtest
