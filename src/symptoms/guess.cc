#include "symptoms/guess.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>

#include "base/check.h"
#include "base/fast_json.h"
#include "base/regex.h"
#include "symptoms/embedded.h"

namespace lockstep::symptoms {
namespace {

// The end of a log is where a failure shows.
constexpr std::size_t kWindow = std::size_t{32} << 10;

bool sounds_like_failure(std::string_view text) {
  static const base::Regex failure = [] {
    auto regex = base::Regex::compile(
        R"(Traceback \(most recent|\b\w*(Error|Exception)\b:|\b(fatal|abort(ed|ing)|core dumped|crashed)\b|^E\d{4} )",
        "failure words");
    CHECK(regex.ok(), "failure words are a valid pattern");
    return std::move(regex).value();
  }();
  return failure.found_in(text);
}

// Words as tools/train_guess counts them: letters and underscores, three to thirty of them, lower case.
std::set<std::string> words_in(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  const auto flush = [&] {
    if (word.size() >= 3 && word.size() <= 30) words.insert(word);
    word.clear();
  };
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalpha(byte) != 0 || c == '_') {
      word += static_cast<char>(std::tolower(byte));
    } else {
      flush();
    }
  }
  flush();
  return words;
}

}  // namespace

std::optional<Guess> guess_leaf(std::span<const LogText> logs) {
  std::string text;
  for (const LogText& log : logs) {
    if (text.size() < 4 * kWindow)
      text += log.bytes.substr(log.bytes.size() - std::min(log.bytes.size(), kWindow));
    text += '\n';
  }
  if (!sounds_like_failure(text)) return std::nullopt;

  base::FastJsonParser parser;
  const auto model = parser.parse(embedded_guess_model());
  CHECK(model.has_value(), "the embedded model is JSON");
  const std::set<std::string> words = words_in(text);
  std::optional<Guess> best;
  double best_score = 0;
  for (const auto leaf_entry : (*model)["leaves"].get_object()) {
    double score = base::number_member(leaf_entry.value, "bias").value_or(0);
    const auto weights = base::member(leaf_entry.value, "words");
    for (const std::string& word : words) score += base::number_member(*weights, word).value_or(0);
    const auto leaf = model::leaf_with_id(leaf_entry.key);
    if (!leaf || (best && score <= best_score)) continue;
    best = Guess{*leaf, base::number_member(*model, "confidence").value_or(0)};
    best_score = score;
  }
  return best;
}

}  // namespace lockstep::symptoms
