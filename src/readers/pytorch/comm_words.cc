#include "readers/pytorch/comm_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "readers/pytorch/flight_recorder_types.h"

namespace lockstep::readers {
namespace {

using model::DataType;
using model::Operation;

template <typename Value>
struct Word {
  std::string_view text;
  Value value;
};

// A word that holds another stands before it: a reduce_scatter is no scatter, an all_reduce_barrier a
// barrier.
constexpr std::array<Word<Operation>, 11> kOperations = {{
    {"barrier", Operation::kBarrier},
    {"reducescatter", Operation::kReduceScatter},
    {"allgather", Operation::kAllGather},
    {"allreduce", Operation::kAllReduce},
    {"alltoall", Operation::kAllToAll},
    {"broadcast", Operation::kBroadcast},
    {"sendrecv", Operation::kUnknown},
    {"scatter", Operation::kScatter},
    {"gather", Operation::kGather},
    {"reduce", Operation::kReduce},
    {"send", Operation::kSend},
}};

constexpr std::array<Word<DataType>, 13> kCppTypes = {{
    {"float", DataType::kFloat32},
    {"double", DataType::kFloat64},
    {"c10::Half", DataType::kFloat16},
    {"c10::BFloat16", DataType::kBFloat16},
    {"long int", DataType::kInt64},
    {"long", DataType::kInt64},
    {"int", DataType::kInt32},
    {"short int", DataType::kInt16},
    {"short", DataType::kInt16},
    {"signed char", DataType::kInt8},
    {"unsigned char", DataType::kUInt8},
    {"bool", DataType::kBool},
    {"", DataType::kUnknown},
}};

std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name.substr(0, name.find('('))) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return letters;
}

}  // namespace

Operation pytorch_operation(std::string_view name) {
  constexpr std::size_t kLongest = 128;
  const std::string letters = letters_of(name.substr(0, kLongest));
  for (const auto& [word, operation] : kOperations) {
    if (letters.find(word) != std::string::npos) return operation;
  }
  return letters.find("recv") == std::string::npos ? Operation::kUnknown : Operation::kReceive;
}

DataType pytorch_data_type(std::string_view name) {
  const auto place = std::ranges::find(kCppTypes, name, &Word<DataType>::text);
  return place != kCppTypes.end() ? place->value : flight_recorder_type(name);
}

}  // namespace lockstep::readers
