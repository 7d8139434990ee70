// A page's contents as the JSON that the page reads ("lockstep-page-v1"; page/src/data/contents.ts has the
// same names). Spans travel apart, as bytes.
#pragma once

#include "base/json.h"
#include "page/contents.h"
#include "symptoms/catalogue.h"

namespace lockstep::page {

base::Json encode(const Contents& contents);
base::Json encode(const symptoms::Catalogue& catalogue);

}  // namespace lockstep::page
