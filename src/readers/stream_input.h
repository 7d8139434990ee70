// What comes as a stream, read to its end: all of it, or what is worth keeping of a long log.
#pragma once

#include <cstddef>
#include <filesystem>

#include "readers/byte_stream.h"
#include "readers/open_input.h"

namespace lockstep::readers {

Input read_whole(ByteStream& stream, std::size_t expected_bytes);

// `path` tells by its name what the content may be.
Input read_stream(ByteStream& stream, const std::filesystem::path& path, const StreamOptions& options);

}  // namespace lockstep::readers
