// A page's contents as the JSON that the page reads ("lockstep-page-v1"; page/src/data/contents.ts has the
// same names). Spans travel apart, as bytes.
#pragma once

#include "base/json.h"
#include "catalogue/catalogue.h"
#include "report/html/contents.h"

namespace lockstep::html {

base::Json encode(const Contents& contents);
base::Json encode(const catalogue::Catalogue& catalogue);

}  // namespace lockstep::html
