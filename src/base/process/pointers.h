// Texts as the system's calls take them.
#pragma once

#include <string>
#include <vector>

namespace lockstep::process {

// Valid as long as `texts`; null at the end.
inline std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace lockstep::process
