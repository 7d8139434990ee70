#include "model/collective.h"

namespace lockstep::model {

bool is_point_to_point(Operation operation) {
  return operation == Operation::kSend || operation == Operation::kReceive;
}

}  // namespace lockstep::model
