// Operations between two ranks are numbered for each partner and direction, collectives for all members.
#pragma once

#include <cstdint>

#include "lockstep/vocabulary.h"

namespace lockstep::recorder {

constexpr bool is_point_to_point(std::uint8_t operation) {
  return operation == LOCKSTEP_OPERATION_Send || operation == LOCKSTEP_OPERATION_Receive;
}

}  // namespace lockstep::recorder
