// What an attempt tells while it runs, for its job's events: lines in a file of its folder, written by the
// keeper and read by whichever service is there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "service/engine/attempt_folder.h"

namespace lockstep::service {

struct News {
  std::string kind;
  std::string detail;

  bool operator==(const News&) const = default;
};

void tell_news(const AttemptFolder& folder, std::string_view kind, std::string_view detail);

// Those behind the first `count`.
std::vector<News> news_after(const AttemptFolder& folder, std::size_t count);

}  // namespace lockstep::service
