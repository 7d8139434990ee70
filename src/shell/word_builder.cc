#include "shell/limits.h"
#include "shell/machine.h"

namespace lockstep::shell {

void WordBuilder::add(std::string_view text) {
  if (current_.text.size() + text.size() > kMaxWordBytes) {
    if (!is_open(current_.text)) current_.text += open_part("...");
    return;
  }
  current_.text += text;
}

void WordBuilder::add_source(const Word& value) {
  for (const Source& source : value.sources) {
    if (current_.sources.size() < 8) current_.sources.push_back(source);
  }
}

void WordBuilder::add_value(const Word& value) {
  add(value.text);
  add_source(value);
}

void WordBuilder::end_word() {
  if (current_.text.empty() && !has_quotes_) return;
  if (!is_full()) words_.push_back(current_);
  current_.text.clear();
  current_.sources.clear();
  has_quotes_ = false;
}

void WordBuilder::add_split(const Word& value) {
  const auto is_blank = [](char letter) { return letter == ' ' || letter == '\t' || letter == '\n'; };
  if (value.text.empty()) return;
  const std::vector<std::string> parts = split_at_blanks(value.text);
  if (is_blank(value.text.front())) end_word();
  for (std::size_t i = 0; i < parts.size() && !is_full(); ++i) {
    if (i > 0) end_word();
    add(parts[i]);
    add_source(value);
  }
  if (is_blank(value.text.back())) end_word();
}

void WordBuilder::add_items(const std::vector<Word>& items, bool has_more, std::string_view written) {
  for (std::size_t i = 0; i < items.size() && !is_full(); ++i) {
    if (i > 0) end_word();
    const Place own = current_.place;
    current_.place = items[i].place;
    add_value(items[i]);
    has_quotes_ = true;
    if (i + 1 < items.size()) end_word();
    if (i + 1 == items.size() && items.size() == 1) current_.place = own;
  }
  if (!has_more) return;
  if (!items.empty()) end_word();
  current_.text += open_words(written);
  end_word();
}

std::vector<Word> WordBuilder::take() {
  end_word();
  return std::move(words_);
}

}  // namespace lockstep::shell
