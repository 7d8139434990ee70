#include "report/html/served.h"

#include "base/check.h"
#include "catalogue/catalogue.h"
#include "report/html/data_block.h"
#include "report/html/encode.h"

namespace lockstep::html {
namespace {

// The policy of a file allows no connection at all. Here it moves to the head of the answer, where it can
// also forbid frames, and allows those to the service that the page came from.
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

Result<ServedPage> served_page() {
  const catalogue::Catalogue catalogue = TRY(catalogue::Catalogue::load());
  ServedPage page;
  page.html = page_with(json_block("lockstep-service", one_line({{"version", LOCKSTEP_VERSION}})) +
                        packed_block("lockstep-catalogue", one_line(encode(catalogue))));
  page.policy = take_policy(page.html);
  return page;
}

}  // namespace lockstep::html
