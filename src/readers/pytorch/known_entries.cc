#include "readers/pytorch/known_entries.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/pytorch/pickle_opcodes.h"

namespace lockstep::readers {

namespace {

// Where the numbers stand in a pickled entry whose other bytes may come again.

struct EntryNumber {
  std::uint32_t offset = 0;  // of its first byte
  std::uint8_t width = 0;
  bool is_float = false;
  std::uint32_t value = 0;  // which of the entry's keys and values it is, from 0
};

struct EntryNumbers {
  std::size_t values = 0;  // keys and values of the entry
  std::vector<EntryNumber> numbers;
};

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

// The numbers that stand in the entry itself, not in a list or tuple of it. None when the entry changes the
// memo or has instructions that no flight recorder writes: then the same bytes may not mean the same again.
std::optional<EntryNumbers> numbers_in_entry(std::string_view bytes) {
  return EntryWalk(bytes).walk();
}

constexpr std::size_t kMaxKnown = 4096;
constexpr std::size_t kKnownEntriesLongest = 4096;
constexpr std::size_t kTries = 1000;
constexpr std::size_t kWord = sizeof(std::uint64_t);

std::uint64_t word_at(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, kWord);
  return word;
}

template <typename T>
std::int64_t integer_at(const char* bytes) {
  T number = 0;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

std::int64_t integer_at(const char* bytes, std::uint8_t width) {
  switch (width) {
    case 1:
      return integer_at<std::uint8_t>(bytes);
    case 2:
      return integer_at<std::uint16_t>(bytes);
    case 4:
      return integer_at<std::int32_t>(bytes);
    default:
      return integer_at<std::int64_t>(bytes);
  }
}

// Whether the number behind this key may differ, and the entry still is the same one.
bool may_differ(Word key, bool is_float) {
  switch (key) {
    case Word::kRecordId:
    case Word::kPgId:
    case Word::kSeqId:
    case Word::kCollectiveSeqId:
    case Word::kP2pSeqId:
    case Word::kTimeCreated:
    case Word::kTimeCompleted:
      return !is_float;
    case Word::kDurationMs:
      return is_float;
    case Word::kTimeStarted:
    case Word::kNone:
      return true;
    default:
      return false;
  }
}

// The entries of a list stand one behind the other; behind anything else the entry may still change.
bool ends_there(std::string_view rest) {
  return rest.front() == static_cast<char>(PickleOpcode::kEmptyDict) ||
         rest.front() == static_cast<char>(PickleOpcode::kAppends);
}

}  // namespace

bool KnownEntries::is_worth_it() const {
  return known_.size() <= kMaxKnown && (missed_ < kTries || found_ > missed_);
}

inline bool KnownEntries::is_at(const Known& known, std::string_view bytes) {
  if (bytes.size() <= known.bytes.size() * kWord || known.size == 0) return false;
  const char* at = bytes.data();
  for (std::size_t word = 0; word < known.bytes.size(); ++word, at += kWord) {
    if ((word_at(at) & known.mask[word]) != known.bytes[word]) return false;
  }
  return ends_there(bytes.substr(known.size));
}

void KnownEntries::read_numbers(Known& known, const char* bytes) {
  FlightRecorderEntry& entry = known.entry;
  for (const Number& number : known.numbers) {
    const char* const at = bytes + number.offset;
    if (number.field == Word::kDurationMs) {
      entry.duration_ms = std::bit_cast<double>(__builtin_bswap64(word_at(at)));
    } else {
      set_number(entry, number.field, integer_at(at, number.width));
    }
  }
}

KnownEntries::Found KnownEntries::find(std::string_view bytes) {
  for (const std::uint32_t number : known_[last_].next) {
    Known& guess = known_[number];
    if (!is_at(guess, bytes)) continue;
    came(number);
    ++found_;
    read_numbers(guess, bytes.data());
    return {.size = guess.size, .entry = &guess.entry};
  }
  return {};
}

void KnownEntries::came(std::uint32_t number) {
  std::array<std::uint32_t, 2>& next = known_[last_].next;
  if (next[0] != number) next = {number, next[0]};
  last_ = number;
}

void KnownEntries::learn(std::string_view bytes, std::span<const PickleValue> values,
                         const FlightRecorderEntry& entry) {
  if (!is_worth_it()) return;
  ++missed_;
  const auto places = bytes.size() <= kKnownEntriesLongest ? numbers_in_entry(bytes) : std::nullopt;
  if (!places || places->values != values.size()) {
    last_ = 0;
    return;
  }
  Known made{.size = bytes.size(), .bytes = {}, .mask = {}, .numbers = {}, .entry = entry, .next = {}};
  const std::size_t words = (bytes.size() + kWord - 1) / kWord;
  std::vector<char> kept(words * kWord);
  std::ranges::copy(bytes, kept.begin());
  std::vector<char> mask(words * kWord);
  std::fill_n(mask.begin(), bytes.size(), '\xff');
  for (const EntryNumber& number : places->numbers) {
    const Word key = number.value % 2 == 1 ? values[number.value - 1].word : Word::kEntries;
    if (!may_differ(key, number.is_float)) continue;
    std::fill_n(kept.begin() + number.offset, number.width, '\0');
    std::fill_n(mask.begin() + number.offset, number.width, '\0');
    if (key == Word::kNone || key == Word::kTimeStarted) continue;
    made.numbers.push_back({.offset = number.offset, .width = number.width, .field = key});
  }
  KeyOf key;
  for (std::size_t word = 0; word < words; ++word) {
    made.bytes.push_back(word_at(kept.data() + word * kWord));
    made.mask.push_back(word_at(mask.data() + word * kWord));
    key.add(made.bytes.back()).add(made.mask.back());
  }
  const std::uint32_t number = numbers_.find_or(key.add(bytes.size()).key(), [&] {
    known_.push_back(std::move(made));
    return static_cast<std::uint32_t>(known_.size() - 1);
  });
  came(number);
}

void KnownEntries::forget_all() {
  known_.resize(1);
  known_.front() = {};
  numbers_ = {};
  last_ = 0;
}

}  // namespace lockstep::readers
