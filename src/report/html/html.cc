#include "report/html/html.h"

#include <zlib.h>

#include <fmt/format.h>

#include "base/check.h"
#include "base/embed.h"
#include "base/escape.h"
#include "catalogue/catalogue.h"
#include "report/findings_json.h"
#include "report/format.h"
#include "report/html/contents.h"
#include "report/html/timeline.h"

// The built page in this binary: page/dist/page.html, made by page/build.mjs.
LOCKSTEP_EMBED(page, LOCKSTEP_PAGE)

namespace lockstep::html {
namespace {

// Bytes that a browser unpacks: deflated (zlib's format, "deflate" of DecompressionStream), then base64.
std::string packed(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string deflated(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(deflated.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()),
                               Z_DEFAULT_COMPRESSION);
  CHECK(status == Z_OK, "a buffer of compressBound() is large enough");
  deflated.resize(size);
  return base::to_base64(deflated);
}

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

// Data in the built page: blocks that the page's script finds by their names. JSON stays readable in the
// file.
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
  std::string page(lockstep_page_begin, lockstep_page_end);
  const std::size_t at = page.find(kPlace);
  CHECK(at != std::string::npos, "the built page has a place for the data");
  return page.replace(at, kPlace.size(), blocks);
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

// The policy in the file allows no connection at all. Served, it moves to the header of the response, where
// it can also forbid frames, and allows connections to the service that the page came from.
std::string take_policy(std::string& html) {
  constexpr std::string_view kBegin = "<meta http-equiv=\"Content-Security-Policy\" content=\"";
  constexpr std::string_view kEnd = "\">\n";
  const std::size_t begin = html.find(kBegin);
  const std::size_t end = html.find(kEnd, begin);
  CHECK(begin != std::string::npos && end != std::string::npos, "the built page has a policy");
  const std::string policy = html.substr(begin + kBegin.size(), end - begin - kBegin.size());
  html.erase(begin, end + kEnd.size() - begin);
  return policy + "; connect-src 'self'; frame-ancestors 'none'";
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
      text_for_html(report::render_text(contents.verdict, {.colour = false, .width = 100, .details = true})));

  return page_with(data);
}

Result<ServedPage> served_page() {
  const catalogue::Catalogue catalogue = TRY(catalogue::Catalogue::load());
  ServedPage page;
  page.html = page_with(json_block("lockstep-service", one_line({{"version", LOCKSTEP_VERSION}})) +
                        packed_block("lockstep-catalogue", one_line(encode(catalogue))));
  page.policy = take_policy(page.html);
  return page;
}

}  // namespace lockstep::html
