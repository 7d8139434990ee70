#include "base/text_search/regex.h"

#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/check.h"

namespace lockstep::base {

Regex::Regex(std::unique_ptr<re2::RE2> regex) : regex_(std::move(regex)) {}
Regex::Regex(Regex&& other) noexcept = default;
Regex& Regex::operator=(Regex&& other) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::compile(std::string_view pattern, std::string_view where) {
  re2::RE2::Options options;
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_case_sensitive(false);
  options.set_log_errors(false);
  auto regex = std::make_unique<re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!regex->ok()) {
    return Error{"cannot use pattern", std::string(where), fmt::format("{}: {}", pattern, regex->error()),
                 ""};
  }
  return Regex(std::move(regex));
}

Regex Regex::of_our_own(std::string_view pattern) {
  auto regex = compile(pattern, "lockstep");
  CHECK(regex.ok(), "patterns of the program are valid");
  return std::move(regex).value();
}

bool Regex::found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex_);
}

std::optional<std::size_t> Regex::position_in(std::string_view text) const {
  const re2::StringPiece piece(text.data(), text.size());
  re2::StringPiece matched;
  if (!regex_->Match(piece, 0, piece.size(), re2::RE2::UNANCHORED, &matched, 1)) return std::nullopt;
  return static_cast<std::size_t>(matched.data() - piece.data());
}

std::optional<Regex::Match> Regex::find(std::string_view text, std::size_t from) const {
  const re2::StringPiece piece(text.data(), text.size());
  std::vector<re2::StringPiece> matched(static_cast<std::size_t>(regex_->NumberOfCapturingGroups()) + 1);
  const bool is_found =
      from <= text.size() && regex_->Match(piece, from, piece.size(), re2::RE2::UNANCHORED, matched.data(),
                                           static_cast<int>(matched.size()));
  if (!is_found) return std::nullopt;
  const auto span_of = [&](const re2::StringPiece& part) {
    const auto begin = static_cast<std::size_t>(part.data() - piece.data());
    return Span{begin, begin + part.size()};
  };
  Match match{span_of(matched.front()), span_of(matched.front())};
  for (std::size_t group = 1; group < matched.size(); ++group) {
    if (matched[group].data() == nullptr) continue;
    match.chosen = span_of(matched[group]);
    break;
  }
  return match;
}

std::optional<Regex::Captures> Regex::capture(std::string_view text) const {
  const int groups = regex_->NumberOfCapturingGroups();
  std::vector<re2::StringPiece> matched(static_cast<std::size_t>(groups) + 1);
  const re2::StringPiece piece(text.data(), text.size());
  if (!regex_->Match(piece, 0, piece.size(), re2::RE2::UNANCHORED, matched.data(), groups + 1))
    return std::nullopt;
  Captures captures;
  for (const auto& [name, number] : regex_->NamedCapturingGroups()) {
    const re2::StringPiece& group = matched[static_cast<std::size_t>(number)];
    if (group.data() != nullptr) captures[name] = std::string(group.data(), group.size());
  }
  return captures;
}

}  // namespace lockstep::base
