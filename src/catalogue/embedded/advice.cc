#include "catalogue/advice.h"

#include <map>

#include "base/check.h"
#include "base/json.h"
#include "catalogue/decode.h"
#include "catalogue/embedded.h"
#include "catalogue/symptom.h"

namespace lockstep::catalogue {
namespace {

struct Advice {
  std::string_view remedy;  // a word, or empty
  std::string_view fixes;   // JSON, or empty
};

// Cuts off and returns what stands before `stop`.
std::string_view take(std::string_view& text, char stop) {
  const std::size_t end = text.find(stop);
  CHECK(end != std::string_view::npos, "the built-in advice is whole");
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end + 1);
  return part;
}

// By code, or by family with its dot: "xid.".
const std::map<std::string_view, Advice>& table() {
  static const std::map<std::string_view, Advice> kTable = [] {
    std::map<std::string_view, Advice> rows;
    std::string_view text = embedded_advice();
    while (!text.empty()) {
      const std::string_view code = take(text, '\t');
      const std::string_view remedy = take(text, '\t');
      rows.emplace(code, Advice{remedy, take(text, '\n')});
    }
    return rows;
  }();
  return kTable;
}

std::optional<Remedy> remedy_at(std::string_view name) {
  const auto row = table().find(name);
  return row == table().end() ? std::nullopt : remedy_named(row->second.remedy);
}

}  // namespace

std::vector<model::Fix> fixes_for(std::string_view code) {
  const auto row = table().find(code);
  if (row == table().end() || row->second.fixes.empty()) return {};
  const auto json = base::parse_json(row->second.fixes, "built-in fixes");
  CHECK(json.ok(), "the built-in fixes are JSON");
  auto fixes = decode_fixes(json.value(), {}, code);
  CHECK(fixes.ok(), "the built-in fixes are sound");
  return std::move(fixes).value();
}

std::vector<std::string_view> codes_with_fixes() {
  std::vector<std::string_view> codes;
  for (const auto& [code, advice] : table()) {
    if (!advice.fixes.empty()) codes.push_back(code);
  }
  return codes;
}

Remedy remedy_for(std::string_view code) {
  if (const auto own = remedy_at(code)) return *own;
  const std::size_t dot = code.find('.');
  if (dot == std::string_view::npos) return Remedy::kNone;
  return remedy_at(code.substr(0, dot + 1)).value_or(Remedy::kNone);
}

}  // namespace lockstep::catalogue
