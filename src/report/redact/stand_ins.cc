#include "report/redact/stand_ins.h"

#include <algorithm>
#include <cctype>

#include "report/redact/masks.h"

namespace lockstep::report {
namespace {

std::string_view word_for(Private kind) {
  switch (kind) {
    case Private::kHost:
      return "host";
    case Private::kAddress:
      return "address";
    case Private::kHardware:
      return "mac";
    case Private::kUser:
      return "user";
    case Private::kMail:
      return "email";
    case Private::kSecret:
      return "secret";
  }
  return "secret";
}

constexpr std::string_view kStandIn = R"(\b(?:host|address|mac|user|email|secret)-[0-9]{1,9}\b)";

const base::Regex& stand_in_pattern() {
  static const base::Regex compiled = base::Regex::of_our_own(kStandIn);
  return compiled;
}

}  // namespace

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return result;
}

bool StandIns::is_stand_in(std::string_view text) {
  const auto match = stand_in_pattern().find(text, 0);
  return match && match->whole.begin == 0 && match->whole.end == text.size();
}

void StandIns::reserve_those_in(std::string_view text) {
  for (std::size_t from = 0; const auto match = stand_in_pattern().find(text, from);) {
    reserved_.insert(lower(text.substr(match->whole.begin, match->whole.end - match->whole.begin)));
    from = match->whole.end;
  }
}

std::string StandIns::stand_in_for(Private kind, std::string_view text) {
  std::string& given = given_[{kind, lower(text)}];
  while (given.empty()) {
    std::string next = std::string(word_for(kind)) + "-" + std::to_string(++last_[kind]);
    if (!reserved_.contains(next)) given = std::move(next);
  }
  return given;
}

std::map<std::string, std::string> StandIns::given(Private kind) const {
  std::map<std::string, std::string> result;
  for (const auto& [key, stand_in] : given_) {
    if (key.first == kind) result.emplace(key.second, stand_in);
  }
  return result;
}

void StandIns::also_name(Private kind, std::string_view known, std::string_view other) {
  given_.try_emplace({kind, lower(other)}, stand_in_for(kind, known));
}

}  // namespace lockstep::report
