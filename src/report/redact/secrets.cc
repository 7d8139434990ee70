#include "report/redact/secrets.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <vector>

#include "report/redact/pattern.h"

namespace lockstep::report {
namespace {

// Secret by their form alone.
constexpr std::string_view kForms[] = {
    R"((?s)-----BEGIN [A-Z ]*PRIVATE KEY.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z))",
    R"((?-i)\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)",  // JSON web tokens
    R"((?-i)\b(?:AKIA|ASIA|AIDA|AROA)[A-Z0-9]{16}\b)",
    R"((?-i)\bhf_[A-Za-z0-9]{16,})",
    R"((?-i)\bgh[pousr]_[A-Za-z0-9]{16,})",
    R"((?-i)\b(?:github_pat|glpat|npm|dckr_pat|xox[abeoprs]|pypi|nvapi)[_-][\w-]{16,})",
    R"((?-i)\bsk-[\w-]{16,})",
    R"((?-i)\bAIza[\w-]{30,})",
    R"(\b(?:bearer|basic)\s+([\w.~+/=-]{8,}))",
    R"(\bwandb\s+login\s+(?:--\S+\s+)*([\w-]{20,}))",
    R"(://[^/\s:@]*:([^/\s@]+)@)",  // the password in a URL
    R"([?&](?:sig|signature|x-amz-[\w-]+|x-goog-[\w-]+|access_token|api_?key|key|token)=([^&\s"']+))",
};

// Secret by the name before them, whatever the value.
constexpr std::string_view kPasswords[] = {
    R"((?:passw(?:or)?d|passphrase|\bpwd)["']?\s*[:=]\s*["']?([^\s"',;&)}\]]+))",
    R"(\s--?[\w-]*(?:password|passwd|passphrase)\s+["']?([^\s"'-][^\s"']*))",
};
constexpr std::string_view kKeys[] = {
    R"((?:secret|(?:api|access|private|account|secret|encryption)[_-]?key|credentials?|(?:auth|access|api|hub|hf|github)[_-]?token)(?:[_-]?id|[_-]access[_-]key|[_-]key)?["']?\s*[:=]\s*["']?([^\s"',;&)}\]]+))",
    R"((?-i)\b[A-Z][A-Z0-9_]*_(?:TOKEN|KEY|SECRET|PAT)["']?\s*[:=]\s*["']?([^\s"',;&)}\]]+))",
    R"(\s--?[\w-]*(?:token|api[_-]?key|secret|access[_-]?key)\s+["']?([^\s"'-][^\s"']{5,}))",
};

// The names are ordinary words too ("token=5", "missing key: layer1.weight"): the value must look drawn by
// lot.
constexpr std::string_view kDoubtful[] = {
    R"((?:token|key|auth|authorization)["']?\s*[:=]\s*["']?([\w+/=-]{12,}))"};

bool looks_drawn(std::string_view value) {
  const auto is = [](auto test) { return [test](unsigned char letter) { return test(letter) != 0; }; };
  const bool has_digit = std::ranges::any_of(value, is([](int c) { return std::isdigit(c); }));
  const bool has_lower = std::ranges::any_of(value, is([](int c) { return std::islower(c); }));
  const bool has_upper = std::ranges::any_of(value, is([](int c) { return std::isupper(c); }));
  const bool has_words = value.find('_') != std::string_view::npos;
  return value.size() >= 12 && has_digit && (has_lower || has_upper) &&
         (!has_words || (has_lower && has_upper));
}

bool is_number(std::string_view value) {
  return std::ranges::all_of(value, [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

bool is_placeholder(std::string_view value) {
  constexpr std::string_view kKnown[] = {"none", "null", "true", "false", "unset", "empty"};
  return std::ranges::find(kKnown, lower(value)) != std::end(kKnown) || value.starts_with('<') ||
         value.starts_with("**") || value.starts_with('$');
}

using IsSecret = bool (*)(std::string_view value);

struct Rule {
  std::vector<base::Regex> patterns;
  IsSecret is_secret;
};

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> made;
    made.push_back({compiled(kForms), [](std::string_view) { return true; }});
    made.push_back({compiled(kPasswords), [](std::string_view value) { return !is_placeholder(value); }});
    made.push_back({compiled(kKeys), [](std::string_view value) {
                      return value.size() >= 6 && !is_placeholder(value) && !is_number(value);
                    }});
    made.push_back({compiled(kDoubtful), looks_drawn});
    return made;
  }();
  return all;
}

}  // namespace

std::string without_secrets(std::string_view text, StandIns& stand_ins) {
  std::string masked(text);
  for (const Rule& rule : rules()) {
    for (const base::Regex& regex : rule.patterns) {
      masked = replace_all(regex, masked, [&](std::string_view value, base::Regex::Span) {
        const bool is_secret = !StandIns::is_stand_in(value) && rule.is_secret(value);
        return is_secret ? std::optional(stand_ins.stand_in_for(Private::kSecret, value)) : std::nullopt;
      });
    }
  }
  return masked;
}

}  // namespace lockstep::report
