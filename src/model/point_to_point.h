// Operations between two ranks; all others are collectives.
#pragma once

#include "model/words.h"

namespace lockstep::model {

constexpr bool is_point_to_point(Operation operation) {
  return operation == Operation::kSend || operation == Operation::kReceive;
}

}  // namespace lockstep::model
