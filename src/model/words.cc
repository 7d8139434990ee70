#include "model/words.h"

namespace lockstep::model {
namespace {

template <typename T>
struct Word {
  T value;
  std::string_view name;
};

#define LOCKSTEP_OPERATION_WORD(Name, number, text) {Operation::k##Name, text},
#define LOCKSTEP_REDUCE_OP_WORD(Name, number, text) {ReduceOp::k##Name, text},
#define LOCKSTEP_DATA_TYPE_WORD(Name, number, text) {DataType::k##Name, text},
#define LOCKSTEP_ACTIVITY_WORD(Name, number, text) {Activity::k##Name, text},
constexpr Word<Operation> kOperations[] = {LOCKSTEP_OPERATIONS(LOCKSTEP_OPERATION_WORD)};
constexpr Word<ReduceOp> kReduceOps[] = {LOCKSTEP_REDUCE_OPS(LOCKSTEP_REDUCE_OP_WORD)};
constexpr Word<DataType> kDataTypes[] = {LOCKSTEP_DATA_TYPES(LOCKSTEP_DATA_TYPE_WORD)};
constexpr Word<Activity> kActivities[] = {LOCKSTEP_ACTIVITIES(LOCKSTEP_ACTIVITY_WORD)};

template <typename T, std::size_t count>
std::optional<T> find_value(const Word<T> (&words)[count], std::string_view name) {
  for (const Word<T>& word : words) {
    if (word.name == name) return word.value;
  }
  return std::nullopt;
}

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
  return find_value(kOperations, name);
}
std::optional<ReduceOp> reduce_op_named(std::string_view name) {
  return find_value(kReduceOps, name);
}
std::optional<DataType> data_type_named(std::string_view name) {
  return find_value(kDataTypes, name);
}
std::optional<Activity> activity_named(std::string_view name) {
  return find_value(kActivities, name);
}

}  // namespace lockstep::model
