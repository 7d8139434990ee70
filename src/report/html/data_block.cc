#include "report/html/data_block.h"

#include <fmt/format.h>

#include "base/check.h"
#include "report/html/embedded.h"
#include "report/html/packed.h"

namespace lockstep::html {
namespace {

// No "<" means no "</script>" and no "<!--"; inside JSON strings \u003c means the same.
std::string json_for_html(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string block(std::string_view id, std::string_view type, std::string_view content) {
  return fmt::format("<script id=\"{}\" type=\"{}\">{}</script>\n", id, type, content);
}

}  // namespace

std::string json_block(std::string_view name, std::string_view json) {
  return block(name, "application/json", json_for_html(json));
}

std::string packed_block(std::string_view name, std::string_view bytes) {
  return block(name, "text/plain", packed(bytes));
}

std::string one_line(const base::Json& json) {
  return base::to_text(json, base::JsonLayout::kOneLine);
}

std::string page_with(std::string_view blocks) {
  constexpr std::string_view kPlace = "<!--lockstep-data-->";
  std::string page(embedded_page());
  const std::size_t at = page.find(kPlace);
  CHECK(at != std::string::npos, "the built page has a place for the data");
  return page.replace(at, kPlace.size(), blocks);
}

}  // namespace lockstep::html
