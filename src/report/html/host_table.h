// Which hosts reach which, as the page shows it: one row for each host, or for several that are alike.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace lockstep::html {

struct HostRow {
  std::string hosts;
  std::string cells;                            // x blocked, ? not known, . open; one for each row
  std::map<std::size_t, std::string> why = {};  // what decides, for blocked cells by their place

  bool operator==(const HostRow&) const = default;
};

base::Json encode(const std::vector<HostRow>& rows);

// From `matrix` of a findings file, which anyone may have written: nothing, unless it is a square.
std::vector<HostRow> decode_host_rows(const base::Json& matrix);

}  // namespace lockstep::html
