#include "model/collective.h"

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

std::optional<std::int64_t> element_count(const std::vector<Shape>& shapes) {
  std::int64_t total = 0;
  for (const Shape& shape : shapes) {
    std::int64_t count = 1;
    for (const std::int64_t length : shape) {
      if (__builtin_mul_overflow(count, length, &count)) return std::nullopt;
    }
    if (__builtin_add_overflow(total, count, &total)) return std::nullopt;
  }
  return total;
}

}  // namespace lockstep::model
