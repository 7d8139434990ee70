#include "catalogue/wording.h"

namespace lockstep::catalogue {
namespace {

struct Filled {
  std::string text;
  bool is_whole = true;  // every capture was there; "?" stands for one that was not
};

Filled filled(std::string_view text, const base::Regex::Captures& captures) {
  Filled out;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) {
      out.text.append(text);
      return out;
    }
    const auto captured = captures.find(std::string(text.substr(open + 1, close - open - 1)));
    out.is_whole = out.is_whole && captured != captures.end();
    out.text.append(text.substr(0, open)).append(captured == captures.end() ? "?" : captured->second);
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace

std::string worded(std::string_view text, const base::Regex::Captures& captures) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('[');
    const std::size_t close = open == std::string_view::npos ? open : text.find(']', open);
    out.append(filled(text.substr(0, close == std::string_view::npos ? close : open), captures).text);
    if (close == std::string_view::npos) return out;
    const Filled optional = filled(text.substr(open + 1, close - open - 1), captures);
    if (optional.is_whole) out.append(optional.text);
    text.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace lockstep::catalogue
