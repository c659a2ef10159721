#pragma once

#include "memtest/machine/clock.hpp"
#include "memtest/machine/numa.hpp"
#include "memtest/machine/processors.hpp"
#include "memtest/machine/system_files.hpp"
#include "memtest/machine/virtualization.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memtest {

/// What system calls and the processor itself report, rather than files. Tests make their own.
struct ThisProcess {
    std::vector<int> allowed_ids{};                           ///< of the processors that it may use
    int current = 0;                                          ///< the one on which it is running
    std::optional<std::string> pinning_refused{};             ///< why threads cannot be bound to processors
    std::optional<MemoryPolicy> memory_policy = std::nullopt; ///< as numactl sets it
    std::optional<std::string> hypervisor_signature{};        ///< of CPUID
    bool may_request_huge_pages = true;                       ///< not denied by a seccomp filter, say
};

[[nodiscard]] ThisProcess read_this_process();

/// What is known about the machine before the measurement. Of the process, `allowed` replaces `allowed_ids`.
struct Machine : ThisProcess {
    SystemFiles files;              ///< in which the system describes the rest
    std::vector<Processor> allowed; ///< the processors that this process may use
    std::optional<std::uint64_t> available_bytes;
    std::optional<std::uint64_t> memory_bytes; ///< all that the kernel has
    std::vector<NumaNode> numa_nodes;          ///< that may provide memory
    bool has_forbidden_numa_nodes = false;     ///< other nodes have memory, but not for this process
    std::string name;                          ///< vendor and product, or board; empty if unknown
    std::string kernel;                        ///< name, release and machine, as uname prints them
    Virtualization virtualization;
    std::string transparent_policy; ///< for huge pages: always, madvise or never; empty if unknown
    ClockQuality clock;
    std::optional<double> core_ghz; ///< by that clock, if known

    /// Whether the kernel gives transparent huge pages on request.
    [[nodiscard]] bool gives_transparent_pages() const {
        return may_request_huge_pages && !transparent_policy.empty() && transparent_policy != "never";
    }
};

/// Reads the machine that this process runs on.
[[nodiscard]] Machine read_machine(const SystemFiles& files = SystemFiles(),
                                   const ThisProcess& process = read_this_process());

} // namespace memtest
