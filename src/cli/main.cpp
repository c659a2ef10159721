#include "memtest/base/error.hpp"
#include "memtest/cli/interruption.hpp"
#include "memtest/cli/messages.hpp"
#include "memtest/cli/verbs/verbs.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <vector>

namespace {

/// Takes the place of standard streams that are closed, so that no file opened later becomes one and gets what is meant
/// for it. To use one stays an error, for they are opened the wrong way round.
void reserve_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) < 0) // the lowest that is free is the one that opens
            static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
}

memtest::ExitStatus run(const std::vector<std::string>& arguments) {
    const auto verbs = memtest::verbs();
    const std::string first = arguments.empty() ? "" : arguments.front();
    const auto named = std::ranges::find(verbs.subspan(1), first, &memtest::Verb::name);
    if (named == verbs.end())
        return verbs.front().run(arguments);
    return named->run({arguments.begin() + 1, arguments.end()});
}

memtest::ExitStatus run_and_complain(int argc, char** argv) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const memtest::Error& error) {
        memtest::complain(error.what());
        return error.status();
    } catch (const std::bad_alloc&) {
        memtest::complain("the system gives no more memory; raise the limit (ulimit -v, control group)");
    } catch (const std::exception& error) {
        memtest::complain(error.what());
    }
    return memtest::ExitStatus::failure;
}

} // namespace

int main(int argc, char** argv) {
    reserve_standard_streams();
    std::signal(SIGPIPE, SIG_DFL); // a closed pipe ends it quietly, like any filter, even where a parent ignores it
    const memtest::ExitStatus status = run_and_complain(argc, argv);
    memtest::Interruption::end_by_signal();
    return static_cast<int>(status);
}
