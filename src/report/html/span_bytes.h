// The spans of a timeline as bytes: about five for each instead of a hundred in JSON. page/src/data/spans.ts
// reads them.
//
// Numbers are LEB128; a signed one is zigzag-coded first. A rank is its count of spans and then, for each:
//
//     head      kind | state << 2 | (has a site) << 5 | (label is not its meeting's) << 6
//     begin     signed, since the begin before
//     length    end - begin
//     by kind   collective: meeting, signed, since the one after the last; then label where it is its own
//               call: label      activity: label, number      run: calls, waiting, transfer
//     site      where there is one
#pragma once

#include <string>

#include "report/html/timeline.h"

namespace lockstep::html {

std::string span_bytes(const Timeline& timeline);

}  // namespace lockstep::html
