#include "diagnose/logs/confidence.h"

#include <algorithm>
#include <cmath>

#include "base/fast_json.h"
#include "catalogue/symptom.h"

namespace lockstep::logs {
namespace {

using catalogue::Role;
using catalogue::word_for;

constexpr double kClearShare = 0.5;

// Another origin as strong as the first, of another leaf, is a reason to doubt.
bool is_disputed(std::span<const Candidate> candidates) {
  const Candidate& first = candidates.front();
  return std::ranges::any_of(candidates.subspan(1), [&](const Candidate& other) {
    return other.role == first.role && other.strength == first.strength && other.leaf != first.leaf;
  });
}

bool is_supported(std::span<const Candidate> candidates) {
  const Candidate& first = candidates.front();
  return std::ranges::any_of(candidates.subspan(1), [&](const Candidate& other) {
    return other.role == Role::kOrigin && other.leaf == first.leaf;
  });
}

void add_second_opinion(Grounds& grounds, model::Leaf leaf, const std::optional<Guess>& guess) {
  if (!guess) return;
  const std::string_view clear = guess->share >= kClearShare ? "clearly" : "weakly";
  grounds.push_back(std::string(guess->leaf == leaf ? "words_agree_" : "words_differ_").append(clear));
}

}  // namespace

Grounds grounds_of(std::span<const Candidate> candidates, const std::optional<Guess>& guess) {
  const Candidate& first = candidates.front();
  Grounds grounds;
  grounds.emplace_back(first.role == Role::kOrigin ? word_for(first.strength) : "echo");
  if (is_disputed(candidates)) grounds.emplace_back("disputed");
  if (is_supported(candidates)) grounds.emplace_back("supported");
  add_second_opinion(grounds, first.leaf, guess);
  return grounds;
}

Grounds grounds_without_candidate(std::string_view kind, model::Leaf leaf,
                                  const std::optional<Guess>& guess) {
  Grounds grounds{std::string(kind)};
  add_second_opinion(grounds, leaf, guess);
  return grounds;
}

double confidence_from(std::string_view model_text, const Grounds& grounds) {
  base::FastJsonParser parser;
  const auto model = parser.parse(model_text);
  const auto weights = model ? base::member(*model, "weights") : std::nullopt;
  if (!weights) return 0;
  double sum = base::number_member(*model, "bias").value_or(0);
  for (const std::string& ground : grounds) sum += base::number_member(*weights, ground).value_or(0);
  return std::round(100 / (1 + std::exp(-sum))) / 100;
}

}  // namespace lockstep::logs
