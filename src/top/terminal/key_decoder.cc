#include "top/terminal/key_decoder.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace lockstep::top {
namespace {

constexpr char kEscapeByte = '\x1b';
constexpr std::size_t kLongestSequence = 32;

struct PlainKey {
  char byte;
  Key key;
};

constexpr PlainKey kPlainKeys[] = {
    {'q', Key::kLeave},       {'\x03', Key::kLeave},  {'\x1c', Key::kLeave},   {'j', Key::kDown},
    {'k', Key::kUp},          {' ', Key::kPageDown},  {'b', Key::kPageUp},     {'g', Key::kHome},
    {'G', Key::kEnd},         {'\r', Key::kEnter},    {'\n', Key::kEnter},     {'s', Key::kSort},
    {'r', Key::kReverse},     {'f', Key::kFold},      {'w', Key::kWaits},      {'?', Key::kHelp},
    {'h', Key::kHelp},        {'\x0c', Key::kRedraw}, {'\x1a', Key::kSuspend}, {'\x7f', Key::kEscape},
    {'\x06', Key::kPageDown}, {'\x02', Key::kPageUp},
};

struct SequenceKey {
  std::string_view sequence;  // without the escape; numbers after ';' are modifiers and left out
  Key key;
};

constexpr SequenceKey kSequenceKeys[] = {
    {"[A", Key::kUp},    {"[B", Key::kDown},    {"[H", Key::kHome},      {"[F", Key::kEnd},
    {"OA", Key::kUp},    {"OB", Key::kDown},    {"OH", Key::kHome},      {"OF", Key::kEnd},
    {"OM", Key::kEnter}, {"[1~", Key::kHome},   {"[4~", Key::kEnd},      {"[7~", Key::kHome},
    {"[8~", Key::kEnd},  {"[5~", Key::kPageUp}, {"[6~", Key::kPageDown}, {"[1A", Key::kUp},
    {"[1B", Key::kDown}, {"[1H", Key::kHome},   {"[1F", Key::kEnd},
};

std::optional<Key> plain_key(char byte) {
  const auto* found = std::find_if(std::begin(kPlainKeys), std::end(kPlainKeys),
                                   [byte](const PlainKey& entry) { return entry.byte == byte; });
  return found == std::end(kPlainKeys) ? std::nullopt : std::optional(found->key);
}

std::optional<Key> sequence_key(std::string_view after_escape) {
  std::string bare(after_escape.substr(0, after_escape.find(';')));
  if (bare.size() < after_escape.size()) bare += after_escape.back();
  const auto* found = std::find_if(std::begin(kSequenceKeys), std::end(kSequenceKeys),
                                   [&](const SequenceKey& entry) { return entry.sequence == bare; });
  return found == std::end(kSequenceKeys) ? std::nullopt : std::optional(found->key);
}

bool begins_sequence(char byte) {
  return byte == '[' || byte == 'O';
}

// "\x1b[...X" ends with a letter or a tilde, "\x1bOX" with its third byte.
bool is_whole(std::string_view sequence) {
  if (sequence.size() < 3) return false;
  return sequence[1] == 'O' || (sequence.back() >= '@' && sequence.back() <= '~');
}

}  // namespace

std::vector<Key> KeyDecoder::feed(std::string_view bytes) {
  std::vector<Key> keys;
  const auto give = [&](std::optional<Key> key) {
    if (key) keys.push_back(*key);
  };
  for (const char byte : bytes) {
    if (byte == kEscapeByte) {
      if (!pending_.empty()) keys.push_back(Key::kEscape);
      pending_ = byte;
    } else if (pending_.size() == 1 && !begins_sequence(byte)) {
      pending_.clear();
      keys.push_back(Key::kEscape);
      give(plain_key(byte));
    } else if (!pending_.empty()) {
      pending_ += byte;
      if (is_whole(pending_)) give(sequence_key(std::string_view(pending_).substr(1)));
      if (is_whole(pending_) || pending_.size() > kLongestSequence) pending_.clear();
    } else {
      give(plain_key(byte));
    }
  }
  return keys;
}

std::vector<Key> KeyDecoder::no_more_came() {
  const std::string left = std::exchange(pending_, {});
  return left.size() == 1 ? std::vector{Key::kEscape} : std::vector<Key>{};
}

}  // namespace lockstep::top
