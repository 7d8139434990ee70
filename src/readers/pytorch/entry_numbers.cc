#include "readers/pytorch/entry_numbers.h"

#include <cstring>

#include "readers/pytorch/pickle_opcodes.h"

namespace lockstep::readers {
namespace {

class EntryWalk {
 public:
  explicit EntryWalk(std::string_view bytes) : bytes_(bytes) {}

  std::optional<EntryNumbers> walk() {
    if (!bytes_.starts_with("}(")) return std::nullopt;
    at_ = 2;
    while (depth_ > 0) {
      if (at_ >= bytes_.size() || !step()) return std::nullopt;
    }
    if (at_ != bytes_.size()) return std::nullopt;
    return std::move(found_);
  }

 private:
  bool step() {
    const auto opcode = static_cast<PickleOpcode>(bytes_[at_++]);
    switch (opcode) {
      case PickleOpcode::kMark:
        ++depth_;
        return true;
      case PickleOpcode::kAppends:
      case PickleOpcode::kSetItems:
        --depth_;
        return true;
      case PickleOpcode::kEmptyList:
      case PickleOpcode::kEmptyDict:
      case PickleOpcode::kEmptyTuple:
      case PickleOpcode::kNone:
      case PickleOpcode::kNewTrue:
      case PickleOpcode::kNewFalse:
        return push(0);
      case PickleOpcode::kBinGet:
        return push(1);
      case PickleOpcode::kLongBinGet:
        return push(4);
      case PickleOpcode::kBinInt1:
        return push_number(1, false);
      case PickleOpcode::kBinInt2:
        return push_number(2, false);
      case PickleOpcode::kBinInt:
        return push_number(4, false);
      case PickleOpcode::kLong1:
        return push_long();
      case PickleOpcode::kBinFloat:
        return push_number(8, true);
      case PickleOpcode::kBinUnicode:
        return push_text();
      case PickleOpcode::kTuple1:
        return make_tuple_of(1);
      case PickleOpcode::kTuple2:
        return make_tuple_of(2);
      case PickleOpcode::kTuple3:
        return make_tuple_of(3);
      default:
        return false;
    }
  }

  bool is_in_entry_itself() const { return depth_ == 1; }

  bool push(std::size_t operand) {
    if (is_in_entry_itself()) ++found_.values;
    at_ += operand;
    return at_ <= bytes_.size();
  }

  bool push_number(std::uint8_t width, bool is_float) {
    if (is_in_entry_itself()) {
      found_.numbers.push_back({.offset = static_cast<std::uint32_t>(at_),
                                .width = width,
                                .is_float = is_float,
                                .value = static_cast<std::uint32_t>(found_.values)});
    }
    return push(width);
  }

  bool push_long() {
    if (at_ >= bytes_.size()) return false;
    const auto width = static_cast<std::uint8_t>(bytes_[at_++]);
    return width == sizeof(std::int64_t) ? push_number(width, false) : push(width);
  }

  bool push_text() {
    std::uint32_t size = 0;
    if (bytes_.size() - at_ < sizeof size) return false;
    std::memcpy(&size, bytes_.data() + at_, sizeof size);
    return push(sizeof size + size);
  }

  bool make_tuple_of(std::size_t count) {
    if (!is_in_entry_itself()) return true;
    if (found_.values < count) return false;
    found_.values -= count;
    while (!found_.numbers.empty() && found_.numbers.back().value >= found_.values) found_.numbers.pop_back();
    ++found_.values;
    return true;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  int depth_ = 1;
  EntryNumbers found_;
};

}  // namespace

std::optional<EntryNumbers> numbers_in_entry(std::string_view bytes) {
  return EntryWalk(bytes).walk();
}

}  // namespace lockstep::readers
