// The printed words for the numbers of lockstep/record_format.h; those of the vocabulary are beside its
// lists. A number from a newer writer has no word here and prints as "unknown".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::record {

std::string_view done_status_word(std::uint8_t number);
std::string_view phase_word(std::uint8_t number);
std::string_view blob_role_word(std::uint8_t number);
std::string_view record_type_word(std::uint8_t number);

// Every word that record_type_word gives, except "unknown".
inline constexpr std::string_view kRecordTypeWords[] = {
    "call",   "done", "activity", "checksum",     "blob",    "clock", "dropped",
    "thread", "end",  "string",   "communicator", "tensors", "stack", "attribute",
};
std::optional<std::uint8_t> record_type_with_word(std::string_view word);

}  // namespace lockstep::record
