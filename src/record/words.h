// The printed words for the numbers of lockstep/record_format.h; those of the vocabulary are beside its
// lists. A number from a newer writer has no word here and prints as "unknown".
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::record {

std::string_view done_status_word(std::uint8_t number);
std::string_view phase_word(std::uint8_t number);
std::string_view blob_role_word(std::uint8_t number);
std::string_view record_type_word(std::uint8_t number);

}  // namespace lockstep::record
