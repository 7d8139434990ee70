// gzip and zstd, known by their first bytes.
#pragma once

#include <string_view>

#include "readers/open_input.h"

namespace lockstep::readers {

bool is_compressed(std::string_view bytes);

// The content of every member or frame in turn. Damaged, cut or absurdly expanding data gives what came
// before the fault, and the limit says so.
Input decompress(std::string_view bytes);

}  // namespace lockstep::readers
