// Bytes of unknown content as text that is safe where it goes. Text from a file passes through here before it
// reaches a terminal, so that a log line cannot move the cursor, change the title, hide other lines or
// reverse the reading order.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::base {

// One line of printable UTF-8. Control characters, escape sequences, C1 controls, bidirectional overrides,
// line separators and bytes that are not UTF-8 appear as \n, \t, \xHH or \u{HHHH}; nothing is dropped.
std::string escape_for_terminal(std::string_view text);

// Valid UTF-8: each byte that is not part of a valid sequence becomes U+FFFD. Other characters are kept.
std::string to_valid_utf8(std::string_view text);

// Base64 (RFC 4648).
std::string to_base64(std::string_view bytes);

// None for anything but whole groups of four with their padding.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace lockstep::base
