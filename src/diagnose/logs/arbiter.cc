#include "diagnose/logs/arbiter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fast_json.h"

namespace lockstep::logs {
namespace {

// The file: a line of JSON, zero bytes up to a multiple of 64, then for `features` features their hashes
// (32 bit, little endian, ascending), their rarities (8 bit, in sixteenths) and their weights (8 bit, one for
// each column: failed, the leaves, distributed, the fixes).
constexpr std::size_t kColumns = 1 + kLeaves + 1 + kFixPatterns;
constexpr std::size_t kFailed = 0;
constexpr std::size_t kFirstLeaf = 1;
constexpr std::size_t kDistributed = kFirstLeaf + kLeaves;
constexpr std::size_t kFirstFix = kDistributed + 1;
constexpr std::size_t kAlignment = 64;
constexpr double kRarityUnit = 16;
constexpr std::size_t kBlocks = 5;  // structure, words of failures, parts of words, other words, all words
constexpr std::size_t kPartsOfWords = 2;
constexpr std::size_t kMaxReasons = 5;

std::uint32_t hash_of(std::string_view name) {
  std::uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

std::vector<double> numbers_of(const base::FastJson& json, std::string_view name) {
  std::vector<double> numbers;
  base::for_each_element(base::member(json, name), [&](base::FastJson element) {
    double number = 0;
    if (element.get(number) == simdjson::SUCCESS) numbers.push_back(number);
  });
  return numbers;
}

class Model {
 public:
  static std::optional<Model> read(std::string_view bytes) {
    const std::size_t head_end = bytes.find('\n');
    if (head_end == std::string_view::npos) return std::nullopt;
    base::FastJsonParser parser;
    const auto head = parser.parse(bytes.substr(0, head_end));
    if (!head) return std::nullopt;
    Model model;
    model.size_ = static_cast<std::size_t>(base::number_member(*head, "features").value_or(0));
    model.bias = numbers_of(*head, "bias");
    model.scale = numbers_of(*head, "scale");
    model.blocks = numbers_of(*head, "blocks");
    model.calibration = numbers_of(*head, "calibration");
    model.reliability = numbers_of(*head, "reliability");
    model.scope_by_leaf = numbers_of(*head, "scope_by_leaf");
    model.fix_by_leaf = numbers_of(*head, "fix_by_leaf");
    const std::size_t begin = (head_end + kAlignment) / kAlignment * kAlignment;
    const bool is_whole = model.bias.size() == kColumns && model.scale.size() == kColumns &&
                          model.blocks.size() == kBlocks && model.scope_by_leaf.size() == kLeaves &&
                          model.fix_by_leaf.size() == kLeaves * kFixPatterns && bytes.size() >= begin &&
                          bytes.size() - begin == model.size_ * (5 + kColumns);
    if (!is_whole) return std::nullopt;
    model.bytes_ = bytes.substr(begin);
    return model;
  }

  std::optional<std::size_t> find(std::uint32_t hash) const {
    std::size_t low = 0;
    std::size_t high = size_;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (hash_at(middle) < hash)
        low = middle + 1;
      else
        high = middle;
    }
    return low < size_ && hash_at(low) == hash ? std::optional(low) : std::nullopt;
  }

  double rarity(std::size_t place) const {
    return static_cast<unsigned char>(bytes_[4 * size_ + place]) / kRarityUnit;
  }
  std::span<const char> weights(std::size_t place) const {
    return std::span(bytes_).subspan(5 * size_ + kColumns * place, kColumns);
  }

  std::vector<double> bias, scale, blocks, calibration, reliability, scope_by_leaf, fix_by_leaf;

 private:
  std::uint32_t hash_at(std::size_t place) const {
    std::uint32_t hash = 0;
    std::memcpy(&hash, bytes_.data() + 4 * place, sizeof hash);
    return hash;
  }

  std::string_view bytes_;
  std::size_t size_ = 0;
};

struct Known {
  std::string_view name;
  std::size_t place = 0;
  std::size_t block = 0;
  double value = 0;
};

std::size_t block_of(std::string_view name) {
  switch (name.front()) {
    case 's':
      return 0;
    case 'e':
    case 'f':
      return 1;
    case 'c':
      return kPartsOfWords;
    case 'u':
      return 4;
    default:
      return 3;
  }
}

// Words and their parts weigh as a whole, however many there are; of the structure each weighs by itself.
std::vector<Known> known_of(const Model& model, const Features& features) {
  std::vector<Known> known;
  std::array<double, kBlocks> squares = {};
  for (const auto& [name, value] : features) {
    const auto place = model.find(hash_of(name));
    if (!place) continue;
    const std::size_t block = block_of(name);
    const double weighed = value * (block == 0 ? 1 : model.rarity(*place));
    known.push_back({name, *place, block, weighed});
    squares[block] += weighed * weighed;
  }
  for (Known& one : known) {
    one.value *= model.blocks[one.block];
    if (one.block > 0) one.value /= std::sqrt(squares[one.block]);
  }
  return known;
}

double share_of(double sum) {
  return 1 / (1 + std::exp(-sum));
}

// Points of a line that never falls: what an answer claims, then how often such answers were right.
double bent_by(std::span<const double> points, double share) {
  double x = 0;
  double y = 0;
  for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
    if (share < points[i]) return y + (points[i + 1] - y) * (share - x) / (points[i] - x);
    x = points[i];
    y = points[i + 1];
  }
  return x >= 1 ? y : y + (1 - y) * (share - x) / (1 - x);
}

double log_odds(double share) {
  constexpr double kLeast = 1e-4;
  share = std::clamp(share, kLeast, 1 - kLeast);
  return std::log(share / (1 - share));
}

void set_leaves(std::span<const double> scores, Opinion& opinion) {
  const double highest = *std::ranges::max_element(scores);
  double all = 0;
  for (const double score : scores) all += std::exp(score - highest);
  for (std::size_t leaf = 0; leaf < kLeaves; ++leaf)
    opinion.leaves[leaf] = std::exp(scores[leaf] - highest) / all;
  std::array<std::size_t, kLeaves> order = {};
  for (std::size_t i = 0; i < kLeaves; ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t leaf) { return opinion.leaves[leaf]; });
  opinion.best = static_cast<model::Leaf>(order[0]);
  opinion.runner_up = static_cast<model::Leaf>(order[1]);
}

void set_reasons(const Model& model, std::span<const Known> known, Opinion& opinion) {
  const std::size_t best = kFirstLeaf + static_cast<std::size_t>(opinion.best);
  const std::size_t other = kFirstLeaf + static_cast<std::size_t>(opinion.runner_up);
  const auto weight_of = [&](std::span<const char> weights, std::size_t column) {
    return static_cast<signed char>(weights[column]) * model.scale[column];
  };
  for (const Known& one : known) {
    const auto weights = model.weights(one.place);
    const double weight = one.value * (weight_of(weights, best) - weight_of(weights, other));
    if (weight > 0 && one.block != kPartsOfWords) opinion.reasons.push_back({std::string(one.name), weight});
  }
  std::ranges::stable_sort(opinion.reasons, std::greater(), &Reason::weight);
  if (opinion.reasons.size() > kMaxReasons) opinion.reasons.resize(kMaxReasons);
}

// "e:memory" as words; what the structure is called says itself.
std::string in_words(std::string_view feature) {
  const std::string_view name = feature.substr(std::min<std::size_t>(2, feature.size()));
  switch (feature.front()) {
    case 'e':
      return fmt::format("\"{}\" where a failure is told", name);
    case 'f':
      return fmt::format("a frame \"{}\"", name);
    case 's':
      return std::string(name);
    default:
      return fmt::format("\"{}\"", name);
  }
}

}  // namespace

std::string reasons_in_words(const Opinion& opinion) {
  std::vector<std::string> reasons;
  for (const Reason& reason : opinion.reasons) reasons.push_back(in_words(reason.feature));
  const std::string_view best = model::entry_of(opinion.best).id;
  const std::string_view other = model::entry_of(opinion.runner_up).id;
  if (reasons.empty()) return fmt::format("nothing in the log tells {} from {}", best, other);
  return fmt::format("the log as a whole looks like {} rather than {}; what counted most: {}", best, other,
                     fmt::join(reasons, ", "));
}

Opinion opinion_of(std::string_view bytes, const Features& features) {
  Opinion opinion;
  const auto model = Model::read(bytes);
  if (!model) return opinion;
  const std::vector<Known> known = known_of(*model, features);
  std::array<double, kColumns> sums = {};
  for (const Known& one : known) {
    const auto weights = model->weights(one.place);
    for (std::size_t column = 0; column < kColumns; ++column)
      sums[column] += one.value * static_cast<signed char>(weights[column]);
  }
  for (std::size_t column = 0; column < kColumns; ++column)
    sums[column] = sums[column] * model->scale[column] + model->bias[column];
  opinion.failed = share_of(sums[kFailed]);
  set_leaves(std::span(sums).subspan(kFirstLeaf, kLeaves), opinion);
  double scope = sums[kDistributed];
  for (std::size_t leaf = 0; leaf < kLeaves; ++leaf)
    scope += opinion.leaves[leaf] * model->scope_by_leaf[leaf];
  opinion.distributed = share_of(scope);
  for (std::size_t fix = 0; fix < kFixPatterns; ++fix) {
    double sum = sums[kFirstFix + fix];
    for (std::size_t leaf = 0; leaf < kLeaves; ++leaf)
      sum += opinion.leaves[leaf] * model->fix_by_leaf[leaf * kFixPatterns + fix];
    opinion.fixes[fix] = share_of(sum);
  }
  set_reasons(*model, known, opinion);
  return opinion;
}

double confidence_in(std::string_view bytes, const Opinion& opinion, model::Leaf leaf, bool known) {
  const auto model = Model::read(bytes);
  if (!model || model->calibration.size() != 5) return 0;
  const double own = opinion.of(leaf);
  double other = 0;
  for (std::size_t i = 0; i < kLeaves; ++i) {
    if (i != static_cast<std::size_t>(leaf)) other = std::max(other, opinion.leaves[i]);
  }
  const std::vector<double>& part = model->calibration;
  const double sum = part[0] + part[1] * log_odds(own) +
                     part[2] * (std::log(own + 1e-4) - std::log(other + 1e-4)) +
                     part[3] * log_odds(opinion.failed) + (known ? part[4] : 0);
  return std::round(100 * bent_by(model->reliability, share_of(sum))) / 100;
}

}  // namespace lockstep::logs
