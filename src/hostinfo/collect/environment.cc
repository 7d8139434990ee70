#include "hostinfo/collect/environment.h"

#include <algorithm>
#include <cctype>

#include "base/process/environment.h"
#include "base/text_fields.h"

namespace lockstep::hostinfo {
namespace {

std::string upper(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(), [](unsigned char letter) { return std::toupper(letter); });
  return made;
}

// "https://user:password@proxy:3128": the password of a URL, wherever the variable is.
bool has_password(std::string_view value) {
  const std::size_t scheme = value.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view authority = base::word_of(value.substr(scheme + 3), '/');
  const std::size_t at = authority.rfind('@');
  return at != std::string_view::npos && authority.substr(0, at).find(':') != std::string_view::npos;
}

}  // namespace

bool is_secret(std::string_view name, std::string_view value) {
  constexpr std::string_view kWords[] = {"PASSWORD",   "PASSWD", "PASSPHRASE",  "SECRET",     "TOKEN",
                                         "CREDENTIAL", "APIKEY", "API_KEY",     "ACCESS_KEY", "PRIVATE_KEY",
                                         "AUTH",       "COOKIE", "SESSION_KEY", "_PAT",       "SIGNATURE"};
  constexpr std::string_view kForms[] = {"-----BEGIN ", "eyJ",   "AKIA", "ASIA",        "hf_",
                                         "ghp_",        "gho_",  "ghs_", "github_pat_", "glpat-",
                                         "sk-",         "xoxb-", "AIza", "nvapi-"};
  // Names of authority files and agents, which are no secrets themselves and explain much.
  if (name == "SSH_AUTH_SOCK" || name == "XAUTHORITY") return false;
  const std::string shouted = upper(name);
  const auto is_in_name = [&](std::string_view word) { return shouted.find(word) != std::string::npos; };
  if (std::ranges::any_of(kWords, is_in_name) || shouted.ends_with("_KEY")) return true;
  if (std::ranges::any_of(kForms, [&](std::string_view form) { return value.starts_with(form); }))
    return true;
  return has_password(value);
}

std::map<std::string, std::string> masked(const std::vector<std::string>& environment) {
  std::map<std::string, std::string> made;
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    const std::string name = entry.substr(0, equals);
    const std::string value = entry.substr(equals + 1);
    made[name] = !value.empty() && is_secret(name, value) ? std::string(kMasked) : value;
  }
  return made;
}

std::map<std::string, std::string> masked_environment() {
  return masked(process::own_environment());
}

}  // namespace lockstep::hostinfo
