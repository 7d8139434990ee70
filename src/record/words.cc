#include "record/words.h"

#include <algorithm>
#include <iterator>

#include "lockstep/record_format.h"

namespace lockstep::record {

std::string_view done_status_word(std::uint8_t number) {
  switch (number) {
    case LOCKSTEP_DONE_COMPLETED:
      return "completed";
    case LOCKSTEP_DONE_STARTED:
      return "started";
    case LOCKSTEP_DONE_FAILED:
      return "failed";
    default:
      return "unknown";
  }
}

std::string_view phase_word(std::uint8_t number) {
  switch (number) {
    case LOCKSTEP_PHASE_BEGIN:
      return "begin";
    case LOCKSTEP_PHASE_END:
      return "end";
    case LOCKSTEP_PHASE_INSTANT:
      return "instant";
    default:
      return "unknown";
  }
}

std::string_view blob_role_word(std::uint8_t number) {
  switch (number) {
    case LOCKSTEP_BLOB_INPUT:
      return "input";
    case LOCKSTEP_BLOB_OUTPUT:
      return "output";
    case LOCKSTEP_BLOB_STATE:
      return "state";
    default:
      return "unknown";
  }
}

namespace {

constexpr std::uint8_t kRecordTypes[] = {
    LOCKSTEP_RECORD_CALL,  LOCKSTEP_RECORD_DONE,      LOCKSTEP_RECORD_ACTIVITY,     LOCKSTEP_RECORD_CHECKSUM,
    LOCKSTEP_RECORD_BLOB,  LOCKSTEP_RECORD_CLOCK,     LOCKSTEP_RECORD_DROPPED,      LOCKSTEP_RECORD_THREAD,
    LOCKSTEP_RECORD_END,   LOCKSTEP_RECORD_STRING,    LOCKSTEP_RECORD_COMMUNICATOR, LOCKSTEP_RECORD_TENSORS,
    LOCKSTEP_RECORD_STACK, LOCKSTEP_RECORD_ATTRIBUTE,
};
static_assert(std::size(kRecordTypes) == std::size(kRecordTypeWords));

}  // namespace

std::string_view record_type_word(std::uint8_t number) {
  const auto* type = std::ranges::find(kRecordTypes, number);
  return type == std::end(kRecordTypes) ? "unknown" : kRecordTypeWords[type - std::begin(kRecordTypes)];
}

std::optional<std::uint8_t> record_type_with_word(std::string_view word) {
  const auto* found = std::ranges::find(kRecordTypeWords, word);
  if (found == std::end(kRecordTypeWords)) return std::nullopt;
  return kRecordTypes[found - std::begin(kRecordTypeWords)];
}

}  // namespace lockstep::record
