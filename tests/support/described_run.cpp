#include "support/described_run.hpp"

#include "memtest/base/units.hpp"

namespace memtest {

RunDescription described_run() {
    RunDescription run;
    run.version = "1.2.3";
    run.start = "2026-01-31T23:59:59Z";
    run.arguments = {"-s", "4K", "-o", "a file's name", ""};
    run.order = Order::backward;
    run.link = Link::pointer;
    run.line_bytes = 64;
    run.stride_bytes = 4096;
    run.tlb_locality_bytes = 262144;
    run.orders = 7;
    run.largest_size = LargestSize{.bytes = 581 * mib, .lowered_from_bytes = 1024 * mib, .available_bytes = 600 * mib};
    run.threads = 2;
    run.parallel = 3;
    run.seed = 7;
    run.estimate = Estimate::median;
    run.accesses = 20'000;
    run.precision_percent = 2.5;
    run.batches = 31;
    run.visits = 4;
    run.most_seconds = 7.5;
    run.warmup = Warmup{.laps = 3, .most_ms = 10};
    run.counters = {Counter::cycles, Counter::l1d_misses};
    run.clean_lines = true;
    run.memory_file = "/dev/dax0.0";
    run.pages = PageKind::transparent_huge;
    run.pages_got = {{.page_bytes = 4096, .transparent_page_bytes = 2 * mib, .transparent_percent = 37},
                     {.page_bytes = 4096}};
    run.transparent_policy = "madvise";
    run.nodes = NodesUsed{.ids = {1, 0}, .verified = true};
    run.processors = ProcessorsUsed{.ids = {0, 2}, .relation = "same core", .not_pinned = ""};
    run.awake = {1, 3};
    run.core_kinds = {"P-core", "E-core"};
    run.memory_policy = MemoryPolicy{.mode = "bind", .nodes = {0, 1}};
    run.machine = "A maker's machine";
    run.kinds_here = {{.name = "P-core", .processors = {0, 1}}, {.name = "E-core", .processors = {2, 3}}};
    run.special_nodes = {{.id = 1, .memory = "CXL memory"}, {.id = 0, .memory = "", .cache_bytes = 16 * mib}};
    run.hypervisor = "KVM";
    run.container = "docker";
    run.memory_clocks = {
        {.lowest_ghz = 0.528, .highest_ghz = 2.112, .current_ghz = 2.112, .governor = "simple_ondemand"},
        {.lowest_ghz = 0.4, .highest_ghz = 0.8}};
    run.cpu_model = "A \"quoted\" \\ CPU";
    run.caches = {{.level = 1, .size_bytes = 32 * kib, .data_only = true},
                  {.level = 3, .size_bytes = 32 * mib, .shared_by = 16}};
    run.memory_bytes = 7680 * mib;
    run.kernel = "Linux 6.1 x86_64";
    run.microcode = "0x1000065";
    run.governor = "schedutil";
    run.mitigations = {"meltdown: Mitigation: PTI", "mds: Vulnerable"};
    run.virtual_machine = true;
    run.core_clock_ghz = 3.5;
    run.uncore_clocks = {{.lowest_ghz = 0.8, .highest_ghz = 2.4, .current_ghz = 1.6},
                         {.lowest_ghz = 0.9, .highest_ghz = 2.2}};
    run.core_clock_range = ClockRange{.lowest_ghz = 3.49, .highest_ghz = 3.512};
    run.core_clocks_ghz = {3.4, 3.497};
    run.end = RunEnd{.measured = 20, .planned = 41, .interrupted = true};
    return run;
}

} // namespace memtest
