#include "report/html/html.h"

#include <fmt/format.h>

#include "catalogue/catalogue.h"
#include "report/findings_json.h"
#include "report/html/data_block.h"
#include "report/html/encode.h"
#include "report/html/span_bytes.h"
#include "report/text.h"

namespace lockstep::html {
namespace {

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

}  // namespace

Result<std::string> html_of(const Contents& contents, std::string_view version) {
  const catalogue::Catalogue catalogue = TRY(catalogue::Catalogue::load());
  std::string data = json_block("lockstep-about", one_line({{"version", version}}));
  data += json_block("lockstep-findings", report::encode_findings(contents.verdict));
  data += packed_block("lockstep-contents", one_line(encode(contents)));
  data += packed_block("lockstep-spans", span_bytes(contents.timeline));
  data += packed_block("lockstep-catalogue", one_line(encode(catalogue)));
  data += fmt::format(
      "<noscript><p>This browser runs no scripts, so here is the report in words.</p><pre>{}"
      "</pre></noscript>\n",
      text_for_html(report::render_text(contents.verdict, {.colour = false, .width = 100})));

  return page_with(data);
}

}  // namespace lockstep::html
