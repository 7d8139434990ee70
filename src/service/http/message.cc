#include "service/http/message.h"

#include <cctype>

#include <fmt/format.h>

#include "base/text_fields.h"

namespace lockstep::service {

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const auto byte = base::number_in<std::uint8_t>(text.substr(i + 1, 2), 16);
    if (i + 2 >= text.size() || !byte) return std::nullopt;
    decoded += static_cast<char>(*byte);
    i += 2;
  }
  return decoded;
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain =
        std::isalnum(byte) != 0 || std::string_view("-._~/").find(c) != std::string_view::npos;
    encoded += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

std::optional<std::map<std::string, std::string>> parse_query(std::string_view text) {
  std::map<std::string, std::string> query;
  while (!text.empty()) {
    const std::string_view pair = base::word_of(text, '&');
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    if (pair.empty()) continue;
    const std::string_view name = base::word_of(pair, '=');
    const auto key = percent_decoded(name);
    const auto value = percent_decoded(pair.substr(std::min(name.size() + 1, pair.size())));
    if (!key || !value) return std::nullopt;
    query[*key] = *value;
  }
  return query;
}

Response answer(const Problem& problem) {
  base::Json json = {{"type", "about:blank"}, {"title", problem.title}, {"status", problem.status}};
  if (!problem.detail.empty()) json["detail"] = problem.detail;
  json["code"] = problem.code;
  if (!problem.hint.empty()) json["hint"] = problem.hint;
  if (!problem.errors.empty()) {
    base::Json errors = base::Json::array();
    for (const FieldFault& fault : problem.errors) {
      errors.push_back({{"pointer", fault.pointer}, {"detail", fault.detail}});
    }
    json["errors"] = errors;
  }
  return {.status = problem.status,
          .content_type = "application/problem+json",
          .body = base::to_text(json, base::JsonLayout::kOneLine)};
}

}  // namespace lockstep::service
