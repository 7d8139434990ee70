// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::ranks {

std::string percent(double share);                  // "12 %", "3.5 %" below ten
std::string with_commas(std::uint64_t number);      // "1,204"
std::string duration_in_words(double duration_ns);  // "12 ms", "3.5 s"

}  // namespace lockstep::ranks
