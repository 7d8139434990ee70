// The innermost loop of looking through a text: which windows of a run of them are wanted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/text_search/window_bits.h"

namespace lockstep::base {

inline constexpr std::size_t kRunOfWindows = 64;

// One bit for each of the windows that follow one another at `text`; a few that are not wanted among them.
std::uint64_t wanted_windows(const WindowBits& bits, std::uint32_t mix, const char* text);

// The same without the processor's vectors.
std::uint64_t wanted_windows_one_by_one(const WindowBits& bits, std::uint32_t mix, const char* text);

}  // namespace lockstep::base
