#include "catalogue/prefilter.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text_fields.h"
#include "model/log_marks.h"

namespace lockstep::catalogue {
namespace {

Result<std::optional<base::PatternSet>> compiled(const std::vector<std::string>& regexes) {
  if (regexes.empty()) return std::optional<base::PatternSet>();
  std::vector<base::PatternText> texts;
  for (const std::string& regex : regexes) texts.push_back({regex, false});
  return std::optional(TRY(base::PatternSet::compile(texts)));
}

base::FactorSet factors_of_marks(const base::Commonness& commonness) {
  base::FactorChooser chooser(commonness);
  for (const std::string_view mark : model::kLogMarks)
    CHECK(chooser.add(model::regex_of(mark)).empty(), "marks are long enough to have factors");
  return std::move(chooser).take();
}

}  // namespace

Prefilter::Prefilter(base::FactorSet factors, std::size_t mark_factors, std::vector<std::string> regexes,
                     std::optional<base::PatternSet> everywhere)
    : factors_(std::move(factors)),
      first_mark_(factors_.factors.size() - mark_factors),
      regexes_(std::move(regexes)),
      filter_(factors_),
      everywhere_(std::move(everywhere)) {}

Result<Prefilter> Prefilter::choose(std::span<const std::string> patterns, std::string_view ordinary_text) {
  const base::Commonness commonness(ordinary_text);
  base::FactorChooser chooser(commonness);
  std::vector<std::string> regexes;
  for (const std::string& pattern : patterns) {
    const std::vector<std::string> without = chooser.add(pattern);
    regexes.insert(regexes.end(), without.begin(), without.end());
  }
  std::optional<base::PatternSet> everywhere = TRY(compiled(regexes));
  const base::FactorSet marks = factors_of_marks(commonness);
  return Prefilter(base::joined(std::move(chooser).take(), marks), marks.factors.size(), std::move(regexes),
                   std::move(everywhere));
}

// A line of factors, a line with how many of them are of marks, one with the number of regexes, the regexes,
// the compiled set.
std::string Prefilter::to_bytes() const {
  return fmt::format("{}\n{}\n{}\n{}\n{}", base::to_text(factors_), factors_.factors.size() - first_mark_,
                     regexes_.size(), fmt::join(regexes_, "\n"), everywhere_ ? everywhere_->to_bytes() : "");
}

std::optional<Prefilter> Prefilter::from_bytes(std::string_view bytes) {
  base::FactorSet factors = base::factors_from_text(base::take_line(bytes));
  const std::size_t mark_factors = std::stoul(std::string(base::take_line(bytes)));
  std::vector<std::string> regexes(std::stoul(std::string(base::take_line(bytes))));
  for (std::string& regex : regexes) regex = base::take_line(bytes);
  std::optional<base::PatternSet> everywhere;
  if (!regexes.empty()) everywhere = base::PatternSet::from_bytes(bytes);
  if (!regexes.empty() && !everywhere) {  // another kind of processor than the build's
    auto again = compiled(regexes);
    if (!again.ok()) return std::nullopt;
    everywhere = std::move(again).value();
  }
  return Prefilter(std::move(factors), mark_factors, std::move(regexes), std::move(everywhere));
}

}  // namespace lockstep::catalogue
