#include "readers/pytorch/known_entries.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "readers/pytorch/entry_numbers.h"
#include "readers/pytorch/pickle_opcodes.h"

namespace lockstep::readers {
namespace {

constexpr std::size_t kMostKnown = 4096;
constexpr std::size_t kLongest = 4096;
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
  return known_.size() <= kMostKnown && (missed_ < kTries || found_ > missed_);
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
  const auto places = bytes.size() <= kLongest ? numbers_in_entry(bytes) : std::nullopt;
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
