#include "readers/pytorch/pickle_machine.h"

#include <bit>
#include <cstring>
#include <utility>

#include "readers/pytorch/pickle_text.h"

namespace lockstep::readers {

PickleMachine::PickleMachine(std::string_view bytes, PickleEntries& entries)
    : begin_(bytes.data()),
      at_(bytes.data()),
      end_(bytes.data() + bytes.size()),
      instruction_at_(bytes.data()),
      stack_(entries, bytes.size()) {}

PickleEnd PickleMachine::run() {
  PickleStep last = PickleStep::kNext;
  while (last == PickleStep::kNext) {
    instruction_at_ = at_;
    last = at_ == end_ ? PickleStep::kCut : step();
  }
  if (last != PickleStep::kStop && last != PickleStep::kRefused) stack_.give_entry_before_cut();
  switch (last) {
    case PickleStep::kStop:
      return PickleEnd::kWhole;
    case PickleStep::kRefused:
      return PickleEnd::kRefused;
    case PickleStep::kTooLarge:
      return PickleEnd::kTooLarge;
    case PickleStep::kDamaged:
      return PickleEnd::kDamaged;
    default:
      return PickleEnd::kCut;
  }
}

template <typename T>
inline bool PickleMachine::take_number(T& number) {
  if (left() < sizeof number) return false;
  std::memcpy(&number, at_, sizeof number);
  at_ += sizeof number;
  return true;
}

template <typename T>
inline PickleStep PickleMachine::push_integer() {
  T number = 0;
  return take_number(number) ? stack_.push(PickleValue::of_integer(number)) : PickleStep::kCut;
}

// The instructions dumps are made of; all others are rare_step's.
[[gnu::always_inline]] inline PickleStep PickleMachine::step() {
  const auto opcode = static_cast<PickleOpcode>(*at_++);
  PickleStack::Values values;
  PickleStep step = PickleStep::kNext;
  std::uint8_t short_index = 0;
  std::uint32_t index = 0;
  switch (opcode) {
    case PickleOpcode::kBinGet:
      at_ = stack_.get_all(at_, end_, step);
      return step;
    case PickleOpcode::kLongBinGet:
      return take_number(index) ? stack_.get(index) : PickleStep::kCut;
    case PickleOpcode::kBinPut:
      return take_number(short_index) ? stack_.put(short_index) : PickleStep::kCut;
    case PickleOpcode::kLongBinPut:
      return take_number(index) ? stack_.put(index) : PickleStep::kCut;
    case PickleOpcode::kBinInt1:
      return push_integer<std::uint8_t>();
    case PickleOpcode::kBinInt2:
      return push_integer<std::uint16_t>();
    case PickleOpcode::kBinInt:
      return push_integer<std::int32_t>();
    case PickleOpcode::kLong1:
      if (left() > sizeof(std::int64_t) && *at_ == sizeof(std::int64_t)) {
        ++at_;
        return push_integer<std::int64_t>();
      }
      return push_long(1);
    case PickleOpcode::kNone:
      return stack_.push(PickleValue::none());
    case PickleOpcode::kNewTrue:
      return stack_.push(PickleValue::of_bool(true));
    case PickleOpcode::kNewFalse:
      return stack_.push(PickleValue::of_bool(false));
    case PickleOpcode::kBinUnicode:
      return push_text(4);
    case PickleOpcode::kMark:
      return stack_.mark();
    case PickleOpcode::kEmptyList:
      if (const std::size_t size = stack_.push_known_list({instruction_at_, end_}); size > 0) {
        at_ = instruction_at_ + size;
        return PickleStep::kNext;
      }
      return stack_.begin_list();
    case PickleOpcode::kEmptyDict:
      if (const std::size_t size = stack_.give_known_entry({instruction_at_, end_}); size > 0) {
        at_ = instruction_at_ + size;
        return PickleStep::kNext;
      }
      return stack_.begin_dict({instruction_at_, end_});
    case PickleOpcode::kAppends:
      if (!stack_.pop_to_mark(values)) return PickleStep::kDamaged;
      step = stack_.append(values);
      stack_.know_list_until(at_);
      return step;
    case PickleOpcode::kSetItems:
      if (!stack_.pop_to_mark(values) || values.size() % 2 != 0) return PickleStep::kDamaged;
      return stack_.append_whole_dict(values, at_);
    case PickleOpcode::kTuple2:
      return push_tuple(2);
    default:
      return rare_step(opcode);
  }
}

PickleStep PickleMachine::rare_step(PickleOpcode opcode) {
  PickleStack::Values values;
  std::uint64_t bits = 0;
  std::uint8_t version = 0;
  switch (opcode) {
    case PickleOpcode::kStop:
      return PickleStep::kStop;
    case PickleOpcode::kProto:
      return take_number(version) ? PickleStep::kNext : PickleStep::kCut;
    case PickleOpcode::kFrame:
      return take_number(bits) ? PickleStep::kNext : PickleStep::kCut;
    case PickleOpcode::kBinFloat:
      if (!take_number(bits)) return PickleStep::kCut;
      return stack_.push(PickleValue::of_float(std::bit_cast<double>(__builtin_bswap64(bits))));
    case PickleOpcode::kLong4:
      return push_long(4);
    case PickleOpcode::kShortBinUnicode:
    case PickleOpcode::kShortBinString:
      return push_text(1);
    case PickleOpcode::kBinString:
      return push_text(4);
    case PickleOpcode::kBinUnicode8:
      return push_text(8);
    case PickleOpcode::kShortBinBytes:
      return pass_bytes(1);
    case PickleOpcode::kBinBytes:
      return pass_bytes(4);
    case PickleOpcode::kBinBytes8:
    case PickleOpcode::kByteArray8:
      return pass_bytes(8);
    case PickleOpcode::kEmptyTuple:
      return push_tuple(0);
    case PickleOpcode::kTuple1:
      return push_tuple(1);
    case PickleOpcode::kTuple3:
      return push_tuple(3);
    case PickleOpcode::kEmptySet:
      return stack_.push_made_of(PickleKind::kList, {});
    case PickleOpcode::kTuple:
    case PickleOpcode::kFrozenSet:
      return stack_.pop_to_mark(values) ? stack_.push_made_of(PickleKind::kTuple, values)
                                        : PickleStep::kDamaged;
    case PickleOpcode::kList:
      if (!stack_.pop_to_mark(values)) return PickleStep::kDamaged;
      return values.empty() ? stack_.begin_list() : stack_.push_made_of(PickleKind::kList, values);
    case PickleOpcode::kDict:
      if (!stack_.pop_to_mark(values) || values.size() % 2 != 0) return PickleStep::kDamaged;
      return values.empty() ? stack_.begin_dict({instruction_at_, end_})
                            : stack_.push_made_of(PickleKind::kDict, values);
    case PickleOpcode::kAddItems:
      return stack_.pop_to_mark(values) ? stack_.append(values) : PickleStep::kDamaged;
    case PickleOpcode::kAppend:
      return stack_.pop(1, values) ? stack_.append(values) : PickleStep::kDamaged;
    case PickleOpcode::kSetItem:
      return stack_.pop(2, values) ? stack_.append(values) : PickleStep::kDamaged;
    case PickleOpcode::kPop:
      return stack_.pop(1, values) ? PickleStep::kNext : PickleStep::kDamaged;
    case PickleOpcode::kPopMark:
      return stack_.pop_to_mark(values) ? PickleStep::kNext : PickleStep::kDamaged;
    case PickleOpcode::kDup:
      return stack_.push_copy_of_top();
    case PickleOpcode::kMemoize:
      return stack_.put_next();
    case PickleOpcode::kInt:
    case PickleOpcode::kLong:
    case PickleOpcode::kFloat:
    case PickleOpcode::kString:
    case PickleOpcode::kUnicode:
    case PickleOpcode::kGet:
    case PickleOpcode::kPut:
      return step_with_line(opcode);
    case PickleOpcode::kInst:
    case PickleOpcode::kObj:
    case PickleOpcode::kReduce:
    case PickleOpcode::kBuild:
    case PickleOpcode::kGlobal:
    case PickleOpcode::kPersistentId:
    case PickleOpcode::kBinPersistentId:
    case PickleOpcode::kNewObject:
    case PickleOpcode::kExtension1:
    case PickleOpcode::kExtension2:
    case PickleOpcode::kExtension4:
    case PickleOpcode::kNewObjectEx:
    case PickleOpcode::kStackGlobal:
    case PickleOpcode::kNextBuffer:
    case PickleOpcode::kReadOnlyBuffer:
      return PickleStep::kRefused;
    default:
      return PickleStep::kDamaged;
  }
}

bool PickleMachine::take_size(std::size_t size_bytes, std::uint64_t& size) {
  if (left() < size_bytes) return false;
  std::memcpy(&size, at_, size_bytes);
  at_ += size_bytes;
  return size <= left();
}

PickleStep PickleMachine::push_text(std::size_t size_bytes) {
  std::uint64_t size = 0;
  if (!take_size(size_bytes, size)) return PickleStep::kCut;
  const std::string_view text(at_, size);
  at_ += size;
  return stack_.push(PickleValue::of_text(text));
}

PickleStep PickleMachine::pass_bytes(std::size_t size_bytes) {
  std::uint64_t size = 0;
  if (!take_size(size_bytes, size)) return PickleStep::kCut;
  at_ += size;
  return stack_.push(PickleValue::other());
}

PickleStep PickleMachine::push_long(std::size_t size_bytes) {
  std::uint64_t size = 0;
  if (!take_size(size_bytes, size)) return PickleStep::kCut;
  std::uint64_t bits = 0;
  if (size > 0 && size <= sizeof bits) {
    std::memcpy(&bits, at_, size);
    const unsigned unused = 64 - 8 * static_cast<unsigned>(size);
    bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
  }
  at_ += size;
  if (size > sizeof bits) return stack_.push(PickleValue::other());
  return stack_.push(PickleValue::of_integer(static_cast<std::int64_t>(bits)));
}

PickleStep PickleMachine::push_tuple(std::size_t count) {
  PickleStack::Values values;
  return stack_.pop(count, values) ? stack_.push_made_of(PickleKind::kTuple, values) : PickleStep::kDamaged;
}

PickleStep PickleMachine::step_with_line(PickleOpcode opcode) {
  const void* newline = std::memchr(at_, '\n', left());
  if (newline == nullptr) return PickleStep::kCut;
  const std::string_view line(at_, static_cast<std::size_t>(static_cast<const char*>(newline) - at_));
  at_ = static_cast<const char*>(newline) + 1;
  if (opcode == PickleOpcode::kInt || opcode == PickleOpcode::kLong)
    return stack_.push(pickle_integer_line(line));
  if (opcode == PickleOpcode::kFloat) return stack_.push(pickle_float_line(line));
  if (opcode == PickleOpcode::kGet || opcode == PickleOpcode::kPut) {
    const PickleValue index = pickle_integer_line(line);
    if (index.kind != PickleKind::kInteger && index.kind != PickleKind::kBool) return PickleStep::kDamaged;
    const auto number = static_cast<std::size_t>(index.integer);
    return opcode == PickleOpcode::kGet ? stack_.get(number) : stack_.put(number);
  }
  std::string decoded;
  const auto text = opcode == PickleOpcode::kString ? pickle_quoted_line(line, decoded)
                                                    : pickle_unicode_line(line, decoded);
  if (!text) return PickleStep::kDamaged;
  if (decoded.empty()) return stack_.push(PickleValue::of_text(*text));
  decoded_.push_back(std::move(decoded));
  return stack_.push(PickleValue::of_text(decoded_.back()));
}

}  // namespace lockstep::readers
