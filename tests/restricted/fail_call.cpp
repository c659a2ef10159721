// Preloaded, makes one of the program's calls fail.
//   FAIL_CALL=KIND:N    the Nth call of its kind fails; KIND:N+ has all later ones fail, too
//   FAIL_CALL_LOG=FILE  is created when a call has failed
// The kinds: malloc (all that gives memory of the heap), late-malloc (those from the first thread on), mmap, open (a
// file or a folder), write (but not of messages), thread, and finish (what puts a written file in its place).
// Calls count from main on: what fails before cannot be caught.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

const char* kind_to_fail = "";
unsigned long first_to_fail = 0;
bool later_ones_too = false;
std::atomic<unsigned long> calls{0};
std::atomic<bool> has_threads{false};

void read_what_to_fail() {
    const char* call = std::getenv("FAIL_CALL");
    const char* colon = call == nullptr ? nullptr : std::strchr(call, ':');
    if (colon == nullptr)
        return;
    char* end = nullptr;
    first_to_fail = std::strtoul(colon + 1, &end, 10);
    later_ones_too = *end == '+';
    kind_to_fail = call;
}

/// By calls that are not counted themselves.
void log_failure() {
    const char* log = std::getenv("FAIL_CALL_LOG");
    if (log != nullptr)
        syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT, 0600));
}

/// Counts a call of this kind, and sets errno where it is to fail.
bool fails(const char* kind, int error) {
    const std::size_t length = std::strlen(kind);
    if (std::strncmp(kind_to_fail, kind, length) != 0 || kind_to_fail[length] != ':')
        return false;
    const unsigned long call = ++calls;
    if (call < first_to_fail || (call > first_to_fail && !later_ones_too))
        return false;
    log_failure();
    errno = error;
    return true;
}

bool fails_to_give_memory() {
    return fails("malloc", ENOMEM) || (has_threads && fails("late-malloc", ENOMEM));
}

using Main = int (*)(int, char**, char**);
using StartMain = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

Main main_of_program = nullptr;

int main_with_failures(int argc, char** argv, char** environment) {
    read_what_to_fail();
    return main_of_program(argc, argv, environment);
}

template<class Function>
Function* system_function(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace

#define SYSTEM_FUNCTION(name) static auto* const system_one = system_function<decltype(name)>(#name)

extern "C" {

// What the C library starts a program with.
int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*loader_fini)(),
                      void* stack_end) {
    main_of_program = main;
    const auto system_one = reinterpret_cast<StartMain>(dlsym(RTLD_NEXT, "__libc_start_main"));
    return system_one(main_with_failures, argc, argv, init, fini, loader_fini, stack_end);
}

void* malloc(std::size_t bytes) noexcept {
    SYSTEM_FUNCTION(malloc);
    return fails_to_give_memory() ? nullptr : system_one(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
    SYSTEM_FUNCTION(calloc);
    return fails_to_give_memory() ? nullptr : system_one(count, bytes);
}

void* realloc(void* memory, std::size_t bytes) noexcept {
    SYSTEM_FUNCTION(realloc);
    return fails_to_give_memory() ? nullptr : system_one(memory, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    SYSTEM_FUNCTION(aligned_alloc);
    return fails_to_give_memory() ? nullptr : system_one(alignment, bytes);
}

void* mmap(void* place, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
    SYSTEM_FUNCTION(mmap);
    return fails("mmap", ENOMEM) ? MAP_FAILED : system_one(place, bytes, protection, flags, file, offset);
}

int open(const char* path, int flags, ...) {
    SYSTEM_FUNCTION(open);
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fails("open", EMFILE) ? -1 : system_one(path, flags, mode);
}

int mkostemp(char* name, int flags) {
    SYSTEM_FUNCTION(mkostemp);
    return fails("open", EMFILE) ? -1 : system_one(name, flags);
}

std::FILE* fopen(const char* path, const char* mode) {
    SYSTEM_FUNCTION(fopen);
    return fails("open", EMFILE) ? nullptr : system_one(path, mode);
}

DIR* opendir(const char* path) {
    SYSTEM_FUNCTION(opendir);
    return fails("open", EMFILE) ? nullptr : system_one(path);
}

ssize_t write(int file, const void* bytes, std::size_t count) {
    SYSTEM_FUNCTION(write);
    return file != STDERR_FILENO && fails("write", EIO) ? -1 : system_one(file, bytes, count);
}

int fsync(int file) {
    SYSTEM_FUNCTION(fsync);
    return fails("finish", EIO) ? -1 : system_one(file);
}

int rename(const char* from, const char* to) noexcept {
    SYSTEM_FUNCTION(rename);
    return fails("finish", EIO) ? -1 : system_one(from, to);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) noexcept {
    SYSTEM_FUNCTION(pthread_create);
    has_threads = true;
    return fails("thread", EAGAIN) ? EAGAIN : system_one(thread, attributes, run, argument);
}

#ifdef __GLIBC__ // what programs call that are compiled for large files
std::FILE* fopen64(const char* path, const char* mode) {
    SYSTEM_FUNCTION(fopen64);
    return fails("open", EMFILE) ? nullptr : system_one(path, mode);
}
#endif

} // extern "C"
