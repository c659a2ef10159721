#include "memtest/base/error.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/machine/arena.hpp"
#include "memtest/result/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>

namespace {

/// Fills the places of closed standard streams, so that no file opened later becomes one. Using them stays an error:
/// input is opened for writing and output for reading.
void reserve_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) < 0) // open takes the lowest free number
            static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
}

void keep_what_is_written() noexcept {
    memtest::OutputFile::keep_all_partial(memtest::warn_of_partial);
}

constexpr const char* out_of_memory = "out of memory; raise the limit (ulimit -v or -d, control group)";

/// Destroying a value of nlohmann/json takes memory, and no destructor may throw: if memory runs out there, the program
/// ends here and keeps what it has written.
[[noreturn]] void end_where_nothing_catches() {
    try {
        if (const auto exception = std::current_exception())
            std::rethrow_exception(exception);
    } catch (const std::bad_alloc&) {
        keep_what_is_written();
        memtest::print_error(out_of_memory);
        std::_Exit(static_cast<int>(memtest::ExitStatus::failure));
    } catch (...) { // NOLINT(bugprone-empty-catch): a fault of the program
    }
    std::abort();
}

memtest::ExitStatus run_and_report(int argc, char** argv) {
    try {
        return memtest::run_command_line({argv + 1, argv + argc});
    } catch (const memtest::Error& error) {
        if (error.status() != memtest::ExitStatus::closed_pipe)
            memtest::print_error(error.what());
        return error.status();
    } catch (const std::bad_alloc&) {
        memtest::print_error(out_of_memory);
    } catch (const std::exception& error) {
        memtest::print_error(error.what());
    }
    return memtest::ExitStatus::failure;
}

} // namespace

int main(int argc, char** argv) {
    std::set_terminate(end_where_nothing_catches);
    memtest::call_before_end_without_page(keep_what_is_written);
    reserve_standard_streams();
    for (const int signal : {SIGPIPE, SIGXFSZ}) // a closed pipe and a file at its limit are write errors
        std::signal(signal, SIG_IGN);
    const memtest::ExitStatus status = run_and_report(argc, argv);
    memtest::Interruption::end_by_signal();
    if (status == memtest::ExitStatus::closed_pipe)
        memtest::Interruption::end_by(SIGPIPE);
    return static_cast<int>(status);
}
