#include "config/command_line.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::config {

CommandLine::CommandLine(const std::vector<shell::Word>& words) : places_(words) {
  texts_.reserve(words.size());
  for (const shell::Word& word : words) texts_.push_back(word.text);
}

CommandLine CommandLine::from(std::size_t first) const {
  CommandLine rest;
  const auto begin = static_cast<std::ptrdiff_t>(std::min(first, size()));
  rest.texts_.assign(texts_.begin() + begin, texts_.end());
  if (!places_.empty()) rest.places_.assign(places_.begin() + begin, places_.end());
  return rest;
}

CommandLine CommandLine::first(std::size_t count) const {
  CommandLine start = *this;
  start.texts_.resize(std::min(count, size()));
  if (!places_.empty()) start.places_.resize(start.texts_.size());
  return start;
}

CommandLine CommandLine::with(std::size_t at, std::string text) const {
  CommandLine changed = *this;
  if (at >= size()) return changed;
  if (!changed.places_.empty()) changed.places_[at].text = text;
  changed.texts_[at] = std::move(text);
  return changed;
}

shell::Word CommandLine::word(std::size_t at) const {
  return at < places_.size() ? places_[at] : shell::Word{at < size() ? texts_[at] : "", {}, {}};
}

Origin CommandLine::origin(std::size_t at, std::string_view value, const Origin& otherwise) const {
  Origin origin = otherwise;
  if (at >= places_.size()) return origin;
  const shell::Word& word = places_[at];
  shell::Place place = word.place;
  for (const shell::Source& source : word.sources) {
    if (source.place.line == 0) continue;
    if (source.value == value) place = source.place;
    origin.how +=
        fmt::format("{}{} of line {}", origin.how.empty() ? "" : ", ", source.name, source.place.line);
  }
  if (place.line > 0) {
    origin.line = place.line;
    if (!place.file.empty()) origin.file = place.file;
  }
  return origin;
}

}  // namespace lockstep::config
