#include "readers/pytorch/flight_recorder_words.h"

#include <unordered_map>

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

}  // namespace lockstep::readers
