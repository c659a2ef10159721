// Gives a fuzz target every file of some folders: NAME_fuzz FOLDER... What it finds wrong ends the program.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

int replay(const std::filesystem::path& corpus) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        std::puts(entry.path().c_str()); // the last one named is the one that fails
        std::fflush(stdout);
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
        ++files;
    }
    return files;
}

} // namespace

int main(int count, char** arguments) {
    try {
        for (int i = 1; i < count; ++i) {
            if (replay(arguments[i]) == 0)
                return 1;
        }
        return count > 1 ? 0 : 1;
    } catch (const std::exception& error) {
        std::puts(error.what());
        return 1;
    }
}
