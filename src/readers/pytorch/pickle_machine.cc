#include "readers/pytorch/pickle_machine.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "readers/pytorch/pickle_value.h"

namespace lockstep::readers {

namespace {

// Values that the old protocol of pickle writes as a line of text.

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18 & 0x07));
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

// The code point behind "\x", "\u" or "\U", when all its digits are there.
std::optional<std::uint32_t> escaped_code(std::string_view rest, std::size_t digits) {
  std::uint32_t code = 0;
  if (rest.size() < digits) return std::nullopt;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + digits, code, 16);
  return error == std::errc{} && end == rest.data() + digits ? std::optional(code) : std::nullopt;
}

std::size_t digits_behind(char letter, bool has_all_escapes) {
  if (letter == 'u') return 4;
  if (letter == 'U') return 8;
  return letter == 'x' && has_all_escapes ? 2 : 0;
}

char plain_escape(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return letter;
  }
}

std::string_view unescaped(std::string_view text, bool has_all_escapes, std::string& decoded) {
  if (text.find('\\') == std::string_view::npos) return text;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      decoded.push_back(text[at]);
      continue;
    }
    const char letter = text[at + 1];
    const std::size_t digits = digits_behind(letter, has_all_escapes);
    const auto code = digits > 0 ? escaped_code(text.substr(at + 2), digits) : std::nullopt;
    if (code) {
      append_utf8(decoded, *code);
      at += 1 + digits;
    } else if (has_all_escapes) {
      decoded.push_back(plain_escape(letter));
      ++at;
    } else {
      decoded.push_back('\\');
    }
  }
  return decoded;
}

// 'I' and 'L': "12", "12L", and "01" for true. Beyond 64 bits it is kOther.
PickleValue pickle_integer_line(std::string_view line) {
  if (line == "00" || line == "01") return PickleValue::of_bool(line == "01");
  if (line.ends_with('L')) line.remove_suffix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  const bool is_whole = error == std::errc{} && end == line.data() + line.size();
  return is_whole ? PickleValue::of_integer(value) : PickleValue::other();
}

PickleValue pickle_float_line(std::string_view line) {
  double value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  const bool is_whole = error == std::errc{} && end == line.data() + line.size();
  return is_whole ? PickleValue::of_float(value) : PickleValue::other();
}

// 'S': in quotes, with Python's escapes. 'V': with \uXXXX only. Nothing when the line holds no text; the line
// itself where it has no escapes is not copied: then `decoded` stays empty and the result is a part of it.
std::optional<std::string_view> pickle_quoted_line(std::string_view line, std::string& decoded) {
  const bool is_quoted =
      line.size() >= 2 && line.front() == line.back() && (line.front() == '\'' || line.front() == '"');
  if (!is_quoted) return std::nullopt;
  return unescaped(line.substr(1, line.size() - 2), true, decoded);
}

std::string_view pickle_unicode_line(std::string_view line, std::string& decoded) {
  return unescaped(line, false, decoded);
}

}  // namespace

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
