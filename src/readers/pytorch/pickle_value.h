// A value on the pickle machine's stack: 16 bytes, pointing into the pickle's own bytes where it can.
#pragma once

#include <cstdint>
#include <string_view>

#include "readers/pytorch/flight_recorder_words.h"

namespace lockstep::readers {

enum class PickleKind : std::uint8_t { kNone, kBool, kInteger, kFloat, kText, kList, kTuple, kDict, kOther };

struct PickleValue {
  PickleKind kind = PickleKind::kNone;
  Word word = Word::kNone;  // of a text
  std::uint32_t size = 0;   // of a text
  union {
    std::int64_t integer = 0;  // also of a bool
    double number;
    const char* text;
    std::uint64_t container;  // of a list, tuple or dict: its number in the PickleStore
  };

  bool is_container() const {
    return kind == PickleKind::kList || kind == PickleKind::kTuple || kind == PickleKind::kDict;
  }
  std::string_view view() const {
    return kind == PickleKind::kText ? std::string_view(text, size) : std::string_view();
  }

  static PickleValue none() { return {}; }
  static PickleValue other() { return of(PickleKind::kOther, 0); }
  static PickleValue of_bool(bool value) { return of(PickleKind::kBool, value ? 1 : 0); }
  static PickleValue of_integer(std::int64_t value) { return of(PickleKind::kInteger, value); }
  static PickleValue of_float(double value) {
    PickleValue made = of(PickleKind::kFloat, 0);
    made.number = value;
    return made;
  }
  // `text` must outlive the value.
  static PickleValue of_text(std::string_view text) {
    if (text.size() > UINT32_MAX) return other();
    PickleValue made = of(PickleKind::kText, 0);
    made.word = word_of(text);
    made.size = static_cast<std::uint32_t>(text.size());
    made.text = text.data();
    return made;
  }
  static PickleValue of_container(PickleKind kind, std::uint32_t number) {
    PickleValue made = of(kind, 0);
    made.container = number;
    return made;
  }

 private:
  static PickleValue of(PickleKind kind, std::int64_t value) {
    PickleValue made;
    made.kind = kind;
    made.integer = value;
    return made;
  }
};
static_assert(sizeof(PickleValue) == 16);

}  // namespace lockstep::readers
