#include "network/firewall/nft_text.h"

#include <fmt/format.h>

namespace lockstep::network {
namespace {

using base::Json;

std::string joined(const Json& list, std::string_view between) {
  std::string text;
  for (const Json& item : list) text += (text.empty() ? "" : std::string(between)) + nft_text(item);
  return text;
}

std::string text_at(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? nft_text(object[key]) : std::string();
}

std::string match_text(const Json& match) {
  std::string op = text_at(match, "op");
  op = op == "==" || op == "in" ? " " : fmt::format(" {} ", op);
  return text_at(match, "left") + op + text_at(match, "right");
}

std::string named_text(const std::string& name, const Json& value) {
  if (name == "match") return match_text(value);
  if (name == "payload") return text_at(value, "protocol") + " " + text_at(value, "field");
  if (name == "meta") return "meta " + text_at(value, "key");
  if (name == "ct") return "ct " + text_at(value, "key");
  if (name == "fib") return fmt::format("fib {} {}", text_at(value, "flags"), text_at(value, "result"));
  if (name == "prefix") return text_at(value, "addr") + "/" + text_at(value, "len");
  if (name == "range" && value.is_array()) return joined(value, "-");
  if (name == "set" && value.is_array()) return "{ " + joined(value, ", ") + " }";
  if (name == "concat" && value.is_array()) return joined(value, " . ");
  if (name == "&" && value.is_array()) return joined(value, " & ");
  if (name == "|" && value.is_array()) return joined(value, " | ");
  if (name == "elem") return text_at(value, "val");
  if (name == "jump" || name == "goto") return name + " " + text_at(value, "target");
  if (name == "vmap") return text_at(value, "key") + " vmap " + text_at(value, "data");
  if (name == "xt") return "xt " + text_at(value, "name");
  if (name == "counter" || value.is_null()) return name;
  return name + " " + nft_text(value);
}

}  // namespace

std::string nft_text(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    const bool is_statements = !json.empty() && json.front().is_object();
    return joined(json, is_statements ? " " : ",");
  }
  if (json.is_object() && json.size() == 1) return named_text(json.begin().key(), json.begin().value());
  return base::to_text(json, base::JsonLayout::kOneLine);
}

}  // namespace lockstep::network
