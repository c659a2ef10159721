#pragma once

#include "memtest/machine/system_files.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace memtest {

/// A folder as the root of a system, with files of a test's own; removed at the end.
class FakeSystem {
public:
    FakeSystem() {
        std::string name = (std::filesystem::temp_directory_path() / "memtest-system-XXXXXX").string();
        root_ = mkdtemp(name.data());
    }
    ~FakeSystem() {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }

    FakeSystem(const FakeSystem&) = delete;
    FakeSystem& operator=(const FakeSystem&) = delete;
    FakeSystem(FakeSystem&&) = delete;
    FakeSystem& operator=(FakeSystem&&) = delete;

    /// Creates or replaces a file, and the directories above it.
    void add(std::string_view path, std::string_view text) const {
        const auto below = root_ / std::filesystem::path(path).relative_path();
        std::filesystem::create_directories(below.parent_path());
        std::ofstream(below) << text;
    }

    [[nodiscard]] const std::filesystem::path& root() const { return root_; }

    [[nodiscard]] SystemFiles files() const { return SystemFiles(root_); }

    /// A processor with its place and an L1d, L2 and L3, the last shared as said.
    void add_processor(int id, int package, int core, std::string_view l3_shared_by) const {
        const std::string cpu = "/sys/devices/system/cpu/cpu" + std::to_string(id);
        add(cpu + "/topology/physical_package_id", std::to_string(package) + "\n");
        add(cpu + "/topology/core_id", std::to_string(core) + "\n");
        add_cache(id, 0, 1, "Data", "32K", std::to_string(id));
        add_cache(id, 1, 1, "Instruction", "32K", std::to_string(id));
        add_cache(id, 2, 2, "Unified", "1024K", std::to_string(id));
        add_cache(id, 3, 3, "Unified", "32768K", l3_shared_by);
    }

    void add_cache(int processor, int index, int level, std::string_view type, std::string_view size,
                   std::string_view shared_by, std::string_view line_bytes = "64") const {
        const std::string cache =
            "/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/cache/index" + std::to_string(index);
        add(cache + "/level", std::to_string(level) + "\n");
        add(cache + "/type", std::string(type) + "\n");
        add(cache + "/size", std::string(size) + "\n");
        add(cache + "/coherency_line_size", std::string(line_bytes) + "\n");
        add(cache + "/shared_cpu_list", std::string(shared_by) + "\n");
    }

private:
    std::filesystem::path root_;
};

} // namespace memtest
