// The first look at a log: where a line may hold something that the catalogue knows, and where the mark of a
// format may stand. It lets nothing through unseen, and most lines of ordinary logs cost it nothing more.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_search/factor_filter.h"
#include "base/text_search/pattern_set.h"

namespace lockstep::catalogue {

class Prefilter {
 public:
  // `ordinary_text` is what healthy jobs print; the rarer a factor is there, the faster is the look.
  static Result<Prefilter> choose(std::span<const std::string> patterns, std::string_view ordinary_text);

  // The form that is embedded, and back.
  std::string to_bytes() const;
  static std::optional<Prefilter> from_bytes(std::string_view bytes);

  const base::FactorFilter& factors() const { return filter_; }
  bool is_of_mark(std::size_t factor) const { return factor >= first_mark_; }
  // The few patterns that have no factors; null where all have some.
  const base::PatternSet* everywhere() const { return everywhere_ ? &*everywhere_ : nullptr; }

 private:
  Prefilter(base::FactorSet factors, std::size_t mark_factors, std::vector<std::string> regexes,
            std::optional<base::PatternSet> everywhere);

  base::FactorSet factors_;
  std::size_t first_mark_;  // factors of marks follow those of patterns
  std::vector<std::string> regexes_;
  base::FactorFilter filter_;
  std::optional<base::PatternSet> everywhere_;
};

}  // namespace lockstep::catalogue
