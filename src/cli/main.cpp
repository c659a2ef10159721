#include "memtest/base/error.hpp"
#include "memtest/cli/commands/commands.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/messages.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
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

memtest::ExitStatus run_and_report(int argc, char** argv) {
    try {
        return memtest::run_command_line({argv + 1, argv + argc});
    } catch (const memtest::Error& error) {
        if (error.status() != memtest::ExitStatus::closed_pipe)
            memtest::print_error(error.what());
        return error.status();
    } catch (const std::bad_alloc&) {
        memtest::print_error("out of memory; raise the limit (ulimit -v or -d, control group)");
    } catch (const std::exception& error) {
        memtest::print_error(error.what());
    }
    return memtest::ExitStatus::failure;
}

} // namespace

int main(int argc, char** argv) {
    reserve_standard_streams();
    for (const int signal : {SIGPIPE, SIGXFSZ}) // a closed pipe and a file at its limit are write errors
        std::signal(signal, SIG_IGN);
    const memtest::ExitStatus status = run_and_report(argc, argv);
    memtest::Interruption::end_by_signal();
    if (status == memtest::ExitStatus::closed_pipe)
        memtest::Interruption::end_by(SIGPIPE);
    return static_cast<int>(status);
}
