// Text from a file is data. Before it reaches a terminal it passes through here, so that a log line cannot
// move the cursor, change the title, hide other lines or reverse the reading order.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::base {

// One line of printable UTF-8. Control characters, escape sequences, C1 controls, bidirectional overrides,
// line separators and bytes that are not UTF-8 appear as \n, \t, \xHH or \u{HHHH}; nothing is dropped.
std::string escape_for_terminal(std::string_view text);

// Valid UTF-8: each byte that is not part of a valid sequence becomes U+FFFD. Other characters are kept.
std::string to_valid_utf8(std::string_view text);

}  // namespace lockstep::base
