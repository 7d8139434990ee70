#include "model/words.h"

namespace lockstep::model {
namespace {

struct OperationWord {
  Operation value;
  std::string_view name;
};

#define LOCKSTEP_OPERATION_WORD(Name, number, text) {Operation::k##Name, text},
constexpr OperationWord kOperations[] = {LOCKSTEP_OPERATIONS(LOCKSTEP_OPERATION_WORD)};
#undef LOCKSTEP_OPERATION_WORD

}  // namespace

std::string_view name_of(Operation operation) {
  return lockstep_operation_word(static_cast<unsigned>(operation));
}
std::string_view name_of(ReduceOp op) {
  return lockstep_reduce_op_word(static_cast<unsigned>(op));
}
std::string_view name_of(DataType type) {
  return lockstep_data_type_word(static_cast<unsigned>(type));
}
std::string_view name_of(Activity activity) {
  return lockstep_activity_word(static_cast<unsigned>(activity));
}

std::optional<Operation> operation_named(std::string_view name) {
  for (const OperationWord& word : kOperations) {
    if (word.name == name) return word.value;
  }
  return std::nullopt;
}

}  // namespace lockstep::model
