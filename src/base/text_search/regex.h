// Regular expressions, at one edge: RE2, over bytes, without regard to case. Time is linear in the text, so a
// pattern from a user's catalogue cannot hang the tool.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace lockstep::base {

class Regex {
 public:
  static Result<Regex> compile(std::string_view pattern, std::string_view where);
  // A pattern of the program itself, which is valid.
  static Regex of_our_own(std::string_view pattern);
  Regex(Regex&& other) noexcept;
  Regex& operator=(Regex&& other) noexcept;
  ~Regex();

  bool found_in(std::string_view text) const;
  // Where the first match begins; nullopt when there is none.
  std::optional<std::size_t> position_in(std::string_view text) const;

  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Match {
    Span whole;
    Span chosen;  // the first group that took part; where the pattern has none, the whole
  };
  // The first match that begins at `from` or later; what stands before `from` counts for \b and ^.
  std::optional<Match> find(std::string_view text, std::size_t from) const;

  using Captures = std::map<std::string, std::string>;
  // The named groups of the first match; nullopt when there is none.
  std::optional<Captures> capture(std::string_view text) const;

 private:
  explicit Regex(std::unique_ptr<re2::RE2> regex);
  std::unique_ptr<re2::RE2> regex_;
};

}  // namespace lockstep::base
