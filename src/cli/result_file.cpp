#include "memtest/cli/result_file.hpp"

#include "memtest/cli/interruption.hpp"
#include "memtest/cli/messages.hpp"

#include <string_view>

namespace memtest {
namespace {

void keep_partial(OutputFile& output) {
    const std::string_view left = output.keep_partial();
    if (!left.empty())
        warn("the run is not whole; its result so far is in ", left);
}

} // namespace

void write_result(const std::optional<std::string>& path, const std::function<void(OutputFile&)>& write) {
    const Interruption interruption;
    OutputFile output(path, Interruption::requested());
    try {
        write(output);
        if (Interruption::requested())
            keep_partial(output);
        else
            output.commit();
    } catch (...) {
        keep_partial(output);
        throw;
    }
}

} // namespace memtest
