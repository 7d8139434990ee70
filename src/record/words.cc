#include "record/words.h"

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

std::string_view record_type_word(std::uint8_t number) {
  switch (number) {
    case LOCKSTEP_RECORD_CALL:
      return "call";
    case LOCKSTEP_RECORD_DONE:
      return "done";
    case LOCKSTEP_RECORD_ACTIVITY:
      return "activity";
    case LOCKSTEP_RECORD_CHECKSUM:
      return "checksum";
    case LOCKSTEP_RECORD_BLOB:
      return "blob";
    case LOCKSTEP_RECORD_CLOCK:
      return "clock";
    case LOCKSTEP_RECORD_DROPPED:
      return "dropped";
    case LOCKSTEP_RECORD_THREAD:
      return "thread";
    case LOCKSTEP_RECORD_END:
      return "end";
    case LOCKSTEP_RECORD_STRING:
      return "string";
    case LOCKSTEP_RECORD_COMMUNICATOR:
      return "communicator";
    case LOCKSTEP_RECORD_TENSORS:
      return "tensors";
    case LOCKSTEP_RECORD_STACK:
      return "stack";
    case LOCKSTEP_RECORD_ATTRIBUTE:
      return "attribute";
    default:
      return "unknown";
  }
}

}  // namespace lockstep::record
