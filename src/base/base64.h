// Bytes as text of 64 characters (RFC 4648), and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::base {

std::string to_base64(std::string_view bytes);

// None for anything but whole groups of four with their padding.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace lockstep::base
