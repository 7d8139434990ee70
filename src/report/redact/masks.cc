#include "report/redact/masks.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <span>
#include <vector>

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

namespace {

using Span = base::Regex::Span;

constexpr std::string_view kIpv4 = R"(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})";
constexpr std::string_view kIpv6 = R"([0-9a-f:]{2,45}(?:\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})?)";
constexpr std::string_view kMac = R"(\b[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}\b)";
constexpr std::string_view kMail =
    R"(\b[a-z0-9][\w.+-]*@(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|io|ai|de|fr|uk|ch|nl|se|it|es|eu|cn|jp|kr|in|ca|au|br|ru)\b)";
constexpr std::string_view kSaysVersion =
    R"((?:version|release|driver|firmware|cudnn|cuda|nccl|ofed|runtime|library)\D{0,12}$|(?:[=~<>!]=|[^a-z0-9]v|-)$|^v$)";

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool stands_alone(std::string_view text, Span span, std::string_view also_joined) {
  const auto joins = [&](char letter) {
    return is_word(letter) || also_joined.find(letter) != also_joined.npos;
  };
  const bool joined_before = span.begin > 0 && joins(text[span.begin - 1]);
  if (joined_before) return false;
  if (span.end >= text.size()) return true;
  const bool ends_sentence =
      text[span.end] == '.' && (span.end + 1 == text.size() || !is_word(text[span.end + 1]));
  return ends_sentence || !joins(text[span.end]);
}

bool is_everywhere(std::uint32_t address) {
  const std::uint32_t first = address >> 24;
  return first == 127 || address == 0 || first == 255;
}

bool is_private(std::uint32_t address) {
  return address >> 24 == 10 || address >> 20 == 0xAC1 || address >> 16 == 0xC0A8;
}

bool is_version(std::string_view before) {
  static const base::Regex says_version = base::Regex::of_our_own(kSaysVersion);
  constexpr std::size_t kLookBack = 40;
  if (before.size() > kLookBack) before.remove_prefix(before.size() - kLookBack);
  return says_version.found_in(before);
}

bool is_ipv4_to_hide(std::string_view text, Span span) {
  in_addr parsed{};
  const std::string address(text.substr(span.begin, span.end - span.begin));
  if (!stands_alone(text, span, ".") || ::inet_pton(AF_INET, address.c_str(), &parsed) != 1) return false;
  const std::uint32_t number = ntohl(parsed.s_addr);
  return !is_everywhere(number) && (is_private(number) || !is_version(text.substr(0, span.begin)));
}

// C++ scopes look like short addresses (c10::bad), so two groups must begin as real networks do.
bool is_ipv6_to_hide(std::string_view text, Span span) {
  in6_addr parsed{};
  const std::string address(text.substr(span.begin, span.end - span.begin));
  if (!stands_alone(text, span, ":") || ::inet_pton(AF_INET6, address.c_str(), &parsed) != 1) return false;
  const auto groups = std::ranges::count(address, ':');
  const unsigned first = parsed.s6_addr[0];
  const bool is_network = (first & 0xE0U) == 0x20 || first == 0xFE || (first & 0xFEU) == 0xFC;
  const bool is_loopback_or_any = IN6_IS_ADDR_LOOPBACK(&parsed) || IN6_IS_ADDR_UNSPECIFIED(&parsed);
  return !is_loopback_or_any && (is_network || groups > 3);
}

using ShouldHide = bool (*)(std::string_view text, Span span);

std::string hide(const base::Regex& regex, std::string_view text, Private kind, ShouldHide should_hide,
                 StandIns& stand_ins) {
  return replace_all(regex, text, [&](std::string_view value, Span span) {
    return should_hide(text, span) ? std::optional(stand_ins.stand_in_for(kind, value)) : std::nullopt;
  });
}

}  // namespace

std::string without_addresses(std::string_view text, StandIns& stand_ins) {
  static const base::Regex mail = base::Regex::of_our_own(kMail);
  static const base::Regex mac = base::Regex::of_our_own(kMac);
  static const base::Regex ipv6 = base::Regex::of_our_own(kIpv6);
  static const base::Regex ipv4 = base::Regex::of_our_own(kIpv4);
  const auto always = [](std::string_view, Span) { return true; };
  std::string masked = hide(mail, text, Private::kMail, always, stand_ins);
  masked = hide(mac, masked, Private::kHardware, always, stand_ins);
  masked = hide(ipv6, masked, Private::kAddress, is_ipv6_to_hide, stand_ins);
  return hide(ipv4, masked, Private::kAddress, is_ipv4_to_hide, stand_ins);
}

}  // namespace lockstep::report
