#include "report/html/loss_curves.h"

#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "base/lines.h"
#include "base/text_search/regex.h"
#include "model/line_origin.h"

namespace lockstep::html {
namespace {

constexpr std::size_t kLongestLine = 4096;  // a longer one is no progress line

struct Patterns {
  base::Regex loss = base::Regex::of_our_own(
      R"re(\bloss["']?\s*(?:[:=]|\bis\b)?\s*(-?[0-9]+(?:\.[0-9]*)?(?:e[-+]?[0-9]+)?|nan|-?inf)\b)re");
  base::Regex step = base::Regex::of_our_own(
      R"re(\b(?:global_?step|step|iteration|iter|batch)["']?\s*[:=]?\s*\[?\s*([0-9]{1,12})\b)re");
  base::Regex rank = base::Regex::of_our_own(R"re(\brank["']?\s*[:= ]\s*([0-9]{1,6})\b)re");
};

std::optional<std::string_view> first_group(const base::Regex& regex, std::string_view text) {
  const auto match = regex.find(text, 0);
  if (!match) return std::nullopt;
  return text.substr(match->chosen.begin, match->chosen.end - match->chosen.begin);
}

template <typename Number>
std::optional<Number> number_in(std::optional<std::string_view> text) {
  Number number{};
  if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc{}) {
    return std::nullopt;
  }
  return number;
}

bool may_tell_a_loss(std::string_view line) {
  return line.size() <= kLongestLine &&
         (line.find("loss") != std::string_view::npos || line.find("Loss") != std::string_view::npos ||
          line.find("LOSS") != std::string_view::npos);
}

// Keeps every stride-th point; the stride doubles when there is no room, so any length of log fits.
class BoundedCurve {
 public:
  void add(std::optional<std::int64_t> step, double loss, std::size_t most_points) {
    const LossPoint point{.step = step.value_or(count_), .loss = loss};
    last_ = point;
    if (count_++ % stride_ == 0) points_.push_back(point);
    if (points_.size() <= most_points) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < points_.size(); i += 2) points_[kept++] = points_[i];
    points_.resize(kept);
    stride_ *= 2;
  }

  std::vector<LossPoint> take() && {
    if (last_ && points_.back().step != last_->step) points_.push_back(*last_);
    return std::move(points_);
  }

 private:
  std::vector<LossPoint> points_;
  std::optional<LossPoint> last_;
  std::int64_t count_ = 0;
  std::int64_t stride_ = 1;
};

}  // namespace

std::vector<LossCurve> loss_curves_in(std::span<const readers::LogFile> logs, std::size_t most_points) {
  const Patterns patterns;
  std::map<int, BoundedCurve> curves;
  for (const readers::LogFile& log : logs) {
    base::Lines lines(log.bytes.view());
    while (const auto line = lines.next()) {
      if (!may_tell_a_loss(*line)) continue;
      const auto loss = number_in<double>(first_group(patterns.loss, *line));
      if (!loss) continue;
      std::optional<int> rank = model::split_origin(*line).origin.rank;
      if (!rank) rank = log.rank;
      if (!rank) rank = number_in<int>(first_group(patterns.rank, *line));
      curves[rank.value_or(model::kUnknownRank)].add(
          number_in<std::int64_t>(first_group(patterns.step, *line)), *loss, most_points);
    }
  }
  std::vector<LossCurve> result;
  for (auto& [rank, curve] : curves) result.push_back({.rank = rank, .points = std::move(curve).take()});
  return result;
}

}  // namespace lockstep::html
