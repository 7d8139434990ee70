// A value on the pickle machine's stack: 16 bytes, pointing into the pickle's own bytes where it can.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "readers/pytorch/flight_recorder_entry.h"

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

// The lists, tuples and dicts of a pickle: one arena of values, containers named by number.
//
// A dict is its keys and values in turn. What was made since a mark() can be dropped at once, so that reading
// a dump needs memory for one entry and for what entries share, not for the file.
class PickleStore {
 public:
  struct Mark {
    std::size_t containers = 0;
    std::size_t values = 0;
  };

  // `bytes` long is the pickle: more values and containers than a fraction of it only a hostile one has.
  explicit PickleStore(std::size_t bytes);

  std::uint32_t add(std::span<const PickleValue> values) {
    const auto count = static_cast<std::uint32_t>(values.size());
    if (used_ + count > capacity_) grow_to(used_ + count);
    std::copy(values.begin(), values.end(), values_.get() + used_);
    containers_.push_back(
        {.first = static_cast<std::uint32_t>(used_), .count = count, .capacity = count, .note = 0});
    used_ += count;
    return static_cast<std::uint32_t>(containers_.size() - 1);
  }
  void append(std::uint64_t container, std::span<const PickleValue> values) {
    Container& to = containers_[container];
    const auto count = static_cast<std::uint32_t>(values.size());
    if (to.capacity - to.count < count) make_room(to, count);
    std::copy(values.begin(), values.end(), values_.get() + to.first + to.count);
    to.count += count;
  }
  std::uint32_t add_copy_of(std::uint64_t container);
  std::span<const PickleValue> values(std::uint64_t container) const {
    const Container& one = containers_[container];
    return {values_.get() + one.first, one.count};
  }

  // A number the reader keeps with the container; 0 at first.
  std::uint32_t& note(std::uint64_t container) { return containers_[container].note; }

  Mark mark() const { return {.containers = containers_.size(), .values = used_}; }
  // No container older than `mark` may have been appended to since.
  void drop_since(Mark mark) {
    containers_.resize(mark.containers);
    used_ = mark.values;
  }

  // The pickle wants to exhaust the memory.
  bool is_full() const { return containers_.size() > most_containers_ || used_ > most_values_; }

 private:
  struct Container {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t capacity = 0;
    std::uint32_t note = 0;
  };

  void grow_to(std::size_t wanted);
  void make_room(Container& container, std::uint32_t count);

  std::vector<Container> containers_;
  std::unique_ptr<PickleValue[]> values_;
  std::size_t used_ = 0;
  std::size_t capacity_ = 0;
  std::size_t most_containers_;
  std::size_t most_values_;
};

}  // namespace lockstep::readers
