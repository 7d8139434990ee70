#include "config/reading.h"

#include <algorithm>

namespace lockstep::config {

void Reading::put(const std::string& path, std::string text, std::string how) const {
  if (text.find(kOnlyAtRunTime) == std::string::npos) {
    settings.erase("raw/" + path);
    settings.set(path, std::move(text), origin(std::move(how)));
    return;
  }
  settings.erase(path);
  std::erase(text, kOnlyAtRunTime);
  settings.set("raw/" + path, std::move(text), origin(std::move(how)));
}

}  // namespace lockstep::config
