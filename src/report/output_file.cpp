#include "memtest/report/output_file.hpp"

#include "memtest/base/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace memtest {
namespace {

Error cannot_write(const std::string& name) {
    return Error(fmt::format("cannot write {}: {}", name, std::generic_category().message(errno)));
}

} // namespace

void OutputFile::Close::operator()(std::FILE* file) const {
    if (file != stdout)
        std::fclose(file);
}

OutputFile::OutputFile(const std::optional<std::string>& path)
    : name_(path.value_or("standard output")), file_(path ? std::fopen(path->c_str(), "w") : stdout) {
    if (file_ == nullptr)
        throw cannot_write(name_);
}

void OutputFile::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
        throw cannot_write(name_);
}

} // namespace memtest
