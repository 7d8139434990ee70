#include "readers/pytorch/clog_signature.h"

#include <algorithm>

#include "base/text_fields.h"

namespace lockstep::readers {
namespace {

using model::DataType;
using model::Operation;
using model::ReduceOp;

template <typename T>
struct SignatureWord {
  std::string_view word;
  T value;
};

constexpr SignatureWord<Operation> kClogSignatureOperations[] = {
    {"all_reduce", Operation::kAllReduce},
    {"broadcast", Operation::kBroadcast},
    {"reduce", Operation::kReduce},
    {"send", Operation::kSend},
    {"recv", Operation::kReceive},
    {"all_gather", Operation::kAllGather},
    {"all_gather_v", Operation::kAllGather},
    {"all_gather_single", Operation::kAllGather},
    {"reduce_scatter", Operation::kReduceScatter},
    {"reduce_scatter_v", Operation::kReduceScatter},
    {"reduce_scatter_single", Operation::kReduceScatter},
    {"all_to_all", Operation::kAllToAll},
    {"all_to_all_single", Operation::kAllToAll},
    {"all_to_all_v_single", Operation::kAllToAll},
    {"scatter", Operation::kScatter},
    {"gather", Operation::kGather},
    {"gather_single", Operation::kGather},
    {"barrier", Operation::kBarrier},
    {"batch_op_issue", Operation::kCoalesced},
};

constexpr SignatureWord<DataType> kClogSignatureDataTypes[] = {
    {"f32", DataType::kFloat32},        {"f64", DataType::kFloat64}, {"f16", DataType::kFloat16},
    {"bf16", DataType::kBFloat16},      {"i32", DataType::kInt32},   {"i64", DataType::kInt64},
    {"i16", DataType::kInt16},          {"i8", DataType::kInt8},     {"u8", DataType::kUInt8},
    {"bool", DataType::kBool},          {"other", DataType::kOther}, {"fp8e4m3", DataType::kFloat8E4M3},
    {"fp8e5m2", DataType::kFloat8E5M2},
};

constexpr SignatureWord<ReduceOp> kClogSignatureReduceOps[] = {
    {"sum", ReduceOp::kSum},       {"prod", ReduceOp::kProduct}, {"min", ReduceOp::kMinimum},
    {"max", ReduceOp::kMaximum},   {"band", ReduceOp::kBitAnd},  {"bor", ReduceOp::kBitOr},
    {"bxor", ReduceOp::kBitXor},   {"avg", ReduceOp::kAverage},  {"premul_sum", ReduceOp::kPreMulSum},
    {"unknown", ReduceOp::kOther},
};

template <typename T, std::size_t count>
T value_of(const SignatureWord<T> (&words)[count], std::string_view word, T otherwise) {
  const auto* const found = std::ranges::find(words, word, &SignatureWord<T>::word);
  return found == std::end(words) ? otherwise : found->value;
}

// One tensor for each number, except where the numbers are the parts of one tensor.
std::vector<model::Shape> shapes_in(std::string_view list) {
  std::vector<model::Shape> shapes;
  for (const std::int64_t count : clog_numbers(list)) shapes.push_back({count});
  return shapes;
}

void add_argument(ClogSignature& signature, std::string_view key, std::string_view value) {
  model::Collective& collective = signature.collective;
  if (key == "in_count" || key == "in_counts") collective.input_shapes = shapes_in(value);
  if (key == "out_count" || key == "out_counts") collective.output_shapes = shapes_in(value);
  if (key == "in_splits") collective.input_shapes = {clog_numbers(value)};
  if (key == "out_splits") collective.output_shapes = {clog_numbers(value)};
  if (key == "red_op") collective.reduce_op = value_of(kClogSignatureReduceOps, value, ReduceOp::kOther);
  if (key == "root" || key == "peer") collective.peer = base::number_in<int>(value);
  if (key == "dtype") collective.input_types = {value_of(kClogSignatureDataTypes, value, DataType::kOther)};
  if (key == "comm") signature.communicator = value;
}

}  // namespace

std::string_view take_clog_field(std::string_view& text) {
  const std::string_view field = base::word_of(text, '|');
  text.remove_prefix(std::min(text.size(), field.size() + 1));
  return field;
}

std::vector<std::int64_t> clog_numbers(std::string_view list) {
  std::vector<std::int64_t> numbers;
  while (!list.empty()) {
    const std::string_view word = base::word_of(list, ',');
    if (const auto number = base::number_in<std::int64_t>(word)) numbers.push_back(*number);
    list.remove_prefix(std::min(list.size(), word.size() + 1));
  }
  return numbers;
}

ClogSignature clog_signature(std::string_view text) {
  ClogSignature signature;
  signature.collective.operation =
      value_of(kClogSignatureOperations, take_clog_field(text), Operation::kUnknown);
  while (!text.empty()) {
    const std::string_view field = take_clog_field(text);
    const std::size_t equals = field.find('=');
    if (equals != std::string_view::npos) {
      add_argument(signature, field.substr(0, equals), field.substr(equals + 1));
    }
  }
  signature.collective.output_types = signature.collective.input_types;
  // "out_count=0" of a send says that there is no output.
  if (signature.collective.operation == Operation::kSend) {
    signature.collective.output_shapes.clear();
    signature.collective.output_types.clear();
  }
  if (signature.collective.operation == Operation::kReceive) {
    signature.collective.input_shapes.clear();
    signature.collective.input_types.clear();
  }
  return signature;
}

}  // namespace lockstep::readers
