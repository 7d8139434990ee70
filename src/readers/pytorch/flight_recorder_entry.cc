#include "readers/pytorch/flight_recorder_entry.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace lockstep::readers {

namespace {

constexpr std::size_t kLongestWord = 32;

}  // namespace

Word word_of(std::string_view text) {
#define LOCKSTEP_WORD(Name, word) {word, Word::k##Name},
  static const std::unordered_map<std::string_view, Word> kWords = {
      LOCKSTEP_FLIGHT_RECORDER_WORDS(LOCKSTEP_WORD)};
#undef LOCKSTEP_WORD
  if (text.size() > kLongestWord) return Word::kNone;
  const auto place = kWords.find(text);
  return place == kWords.end() ? Word::kNone : place->second;
}

namespace {

using model::DataType;

constexpr std::array<std::pair<std::string_view, DataType>, 22> kTypes = {{
    {"Float", DataType::kFloat32},
    {"BFloat16", DataType::kBFloat16},
    {"Half", DataType::kFloat16},
    {"Double", DataType::kFloat64},
    {"Long", DataType::kInt64},
    {"Int", DataType::kInt32},
    {"Short", DataType::kInt16},
    {"Char", DataType::kInt8},
    {"Byte", DataType::kUInt8},
    {"Bool", DataType::kBool},
    {"UInt16", DataType::kUInt16},
    {"UInt32", DataType::kUInt32},
    {"UInt64", DataType::kUInt64},
    {"Float8_e4m3fn", DataType::kFloat8E4M3},
    {"Float8_e4m3fnuz", DataType::kFloat8E4M3},
    {"Float8_e5m2", DataType::kFloat8E5M2},
    {"Float8_e5m2fnuz", DataType::kFloat8E5M2},
    {"ComplexFloat", DataType::kComplex64},
    {"ComplexDouble", DataType::kComplex128},
    {"c10::complex<float>", DataType::kComplex64},
    {"c10::complex<double>", DataType::kComplex128},
    {"Undefined", DataType::kUnknown},
}};

}  // namespace

DataType flight_recorder_type(std::string_view name) {
  const auto place = std::ranges::find(kTypes, name, [](const auto& one) { return one.first; });
  return place == kTypes.end() ? DataType::kOther : place->second;
}

}  // namespace lockstep::readers
