// Files as the tool needs them: whole small ones, and writes that never leave half a file.
// Large inputs are streamed by their readers, in pieces of fixed size.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lockstep::base {

// The whole file, for files a person wrote. A larger one than `limit_bytes` is an error, not a crash.
// "-" is standard input.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit_bytes);

// Writes beside the target, then renames: readers see the old file or the new one. "-" is standard output.
Result<void> write_file(const std::filesystem::path& path, std::string_view content);

// Everything, through interruptions and descriptors that another process made non-blocking. False: errno says
// why.
bool write_all(int fd, std::string_view content);

// "cannot open run/x: no such file" from the errno of the call that just failed.
Error error_from_errno(std::string what, const std::filesystem::path& where, std::string hint = "");

}  // namespace lockstep::base
