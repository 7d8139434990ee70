#include "page/html.h"

#include <fmt/format.h>

#include "base/check.h"
#include "page/embedded.h"
#include "page/encode.h"
#include "page/packed.h"
#include "page/span_bytes.h"
#include "report/findings_json.h"
#include "report/text.h"
#include "symptoms/catalogue.h"

namespace lockstep::page {
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

std::string text_for_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string block(std::string_view id, std::string_view type, std::string_view content) {
  return fmt::format("<script id=\"{}\" type=\"{}\">{}</script>\n", id, type, content);
}

std::string one_line(const base::Json& json) {
  return base::to_text(json, base::JsonLayout::kOneLine);
}

}  // namespace

Result<std::string> html_of(const Contents& contents, std::string_view version) {
  const symptoms::Catalogue catalogue = TRY(symptoms::Catalogue::load());
  base::Json about = {{"version", version}};
  std::string data = block("lockstep-about", "application/json", json_for_html(one_line(about)));
  data += block("lockstep-findings", "application/json",
                json_for_html(report::encode_findings(contents.verdict)));
  data += block("lockstep-contents", "text/plain", packed(one_line(encode(contents))));
  data += block("lockstep-spans", "text/plain", packed(span_bytes(contents.timeline)));
  data += block("lockstep-catalogue", "text/plain", packed(one_line(encode(catalogue))));
  data += fmt::format(
      "<noscript><p>This browser runs no scripts, so here is the report in words.</p><pre>{}"
      "</pre></noscript>\n",
      text_for_html(report::render_text(contents.verdict, {.colour = false, .width = 100})));

  constexpr std::string_view kPlace = "<!--lockstep-data-->";
  std::string page(embedded_page());
  const std::size_t at = page.find(kPlace);
  CHECK(at != std::string::npos, "the built page has a place for the data");
  return page.replace(at, kPlace.size(), data);
}

}  // namespace lockstep::page
