// Patterns of the catalogue, compiled when a line first needs them: most never do.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/text_search/regex.h"

namespace lockstep::logs {

class RegexCache {
 public:
  const base::Regex& operator[](const std::string& pattern) {
    auto found = compiled_.find(pattern);
    if (found == compiled_.end()) {
      auto regex = base::Regex::compile(pattern, "catalogue");
      CHECK(regex.ok(), "the catalogue's patterns were compiled before");
      found = compiled_.emplace(pattern, std::move(regex).value()).first;
    }
    return found->second;
  }

 private:
  std::map<std::string, base::Regex> compiled_;
};

}  // namespace lockstep::logs
