// Which hosts reach which, as the page shows it: one row for each host, or for several that are alike.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace lockstep::page {

struct HostRow {
  std::string hosts;
  std::string cells;                            // x blocked, ? not known, . open; one for each row
  std::map<std::size_t, std::string> why = {};  // what decides, for blocked cells by their place
};

}  // namespace lockstep::page
