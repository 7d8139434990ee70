// The built page inside the binary.
#include "base/embed.h"
#include "report/html/html.h"

LOCKSTEP_EMBED(page, LOCKSTEP_PAGE)

namespace lockstep::html {

std::string_view embedded_page() {
  return {lockstep_page_begin, lockstep_page_end};
}

}  // namespace lockstep::html
