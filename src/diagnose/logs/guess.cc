#include "diagnose/logs/guess.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/fast_json.h"

namespace lockstep::logs {
namespace {

// The end of a log is where a failure shows; more text only adds words that say nothing about it.
constexpr std::size_t kWindow = std::size_t{16} << 10;
constexpr std::size_t kMaxText = 4 * kWindow;

void add_between(std::string_view bytes, std::size_t begin, std::size_t end, std::string& text) {
  if (begin < end) text += bytes.substr(begin, end - begin);
}

std::string ends_of(std::span<const LogText> logs, const LeftOut& left_out) {
  std::string text;
  for (std::size_t log = 0; log < logs.size() && text.size() < kMaxText; ++log) {
    const std::string_view bytes = logs[log].bytes;
    std::size_t begin = bytes.size() - std::min(bytes.size(), kWindow);
    for (const LineSpan line : left_out[log]) {
      add_between(bytes, begin, line.begin, text);
      begin = std::max(begin, line.end);
    }
    add_between(bytes, begin, bytes.size(), text);
    text += '\n';
  }
  return text;
}

// Where a file lies says more about the machine than about the fault: 'File "/usr/lib/.../distributed/x.py"'.
std::string without_frame_paths(std::string_view text) {
  constexpr std::string_view kFile = "File \"";
  std::string kept;
  kept.reserve(text.size());
  while (!text.empty()) {
    const std::size_t path = text.find(kFile);
    const std::size_t path_end =
        path == std::string_view::npos ? path : text.find_first_of("\"\n", path + kFile.size());
    kept += text.substr(0, path_end == std::string_view::npos ? path_end : path + kFile.size());
    if (path_end == std::string_view::npos) break;
    text.remove_prefix(path_end);
    if (text.front() == '"') text.remove_prefix(1);
  }
  return kept;
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool is_capital(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}

void add_word(std::string_view letters, std::set<std::string>& words) {
  if (letters.size() < 3 || letters.size() > 30) return;
  std::string word(letters);
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  words.insert(std::move(word));
}

// "NoValidAddressesFound" and "init_process_group" are also their parts: names that no text had before are
// made of words that texts had.
void add_parts(std::string_view name, std::set<std::string>& words) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool ends_by_case = i > begin && is_capital(name[i]) &&
                              (!is_capital(name[i - 1]) ||
                               (i + 1 < name.size() && is_letter(name[i + 1]) && !is_capital(name[i + 1])));
    if (name[i] != '_' && !ends_by_case) continue;
    add_word(name.substr(begin, i - begin), words);
    begin = name[i] == '_' ? i + 1 : i;
  }
  add_word(name.substr(begin), words);
}

// Words as tools/train_guess counts them: letters and underscores, three to thirty of them, lower case; and
// the parts of names.
std::set<std::string> words_in(std::string_view text) {
  std::set<std::string> words;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (is_letter(text[i]) || text[i] == '_')) continue;
    const std::string_view name = text.substr(begin, i - begin);
    add_word(name, words);
    add_parts(name, words);
    begin = i + 1;
  }
  return words;
}

std::vector<double> numbers_of(const std::optional<base::FastJson>& list) {
  std::vector<double> numbers;
  base::for_each_element(list, [&](base::FastJson element) {
    double number = 0;
    if (element.get(number) == simdjson::SUCCESS) numbers.push_back(number);
  });
  return numbers;
}

// The sum over the words that the model knows, each as heavy as it is rare; empty when it knows none.
std::vector<double> scores_of(base::FastJson model, const std::set<std::string>& words) {
  const auto known = base::member(model, "words");
  std::vector<double> sums;
  double squares = 0;
  for (const std::string& word : words) {
    const std::vector<double> entry = numbers_of(known ? base::member(*known, word) : std::nullopt);
    if (entry.size() < 2) continue;
    sums.resize(std::max(sums.size(), entry.size() - 1));
    const double rarity = entry.front();
    for (std::size_t i = 1; i < entry.size(); ++i) sums[i - 1] += rarity * entry[i];
    squares += rarity * rarity;
  }
  if (squares == 0) return {};
  const std::vector<double> bias = numbers_of(base::member(model, "bias"));
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = sums[i] / std::sqrt(squares) + (i < bias.size() ? bias[i] : 0);
  return sums;
}

}  // namespace

std::optional<Guess> guess_leaf(std::string_view model_text, std::span<const LogText> logs,
                                const LeftOut& left_out) {
  base::FastJsonParser parser;
  const auto model = parser.parse(model_text);
  if (!model) return std::nullopt;
  const std::vector<double> scores =
      scores_of(*model, words_in(without_frame_paths(ends_of(logs, left_out))));
  if (scores.empty()) return std::nullopt;
  std::vector<std::string_view> leaves;
  base::for_each_element(base::member(*model, "leaves"), [&](base::FastJson element) {
    leaves.push_back(base::string_of(element).value_or(""));
  });
  const auto best = std::ranges::max_element(scores);
  const auto place = static_cast<std::size_t>(best - scores.begin());
  const auto leaf = place < leaves.size() ? model::leaf_with_id(leaves[place]) : std::nullopt;
  if (!leaf) return std::nullopt;
  double all = 0;
  for (const double score : scores) all += std::exp(score - *best);
  return Guess{*leaf, 1 / all};
}

}  // namespace lockstep::logs
