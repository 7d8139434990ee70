#include "config/reading.h"

#include <algorithm>

namespace lockstep::config {

void Reading::put(const std::string& path, std::string text, std::string how) const {
  if (text.find(kOnlyAtRunTime) == std::string::npos) {
    settings.erase(field::at_run_time(path));
    settings.set(path, std::move(text), origin(std::move(how)));
    return;
  }
  settings.erase(path);
  std::erase(text, kOnlyAtRunTime);
  settings.set(field::at_run_time(path), std::move(text), origin(std::move(how)));
}

void Reading::put_flag(std::string_view section, std::string_view name, std::string text,
                       std::string how) const {
  put(field::member(section, name), std::move(text), std::move(how));
}

void Reading::put_flag(std::string_view section, std::string_view name, bool is_set, std::string how) const {
  settings.set(field::member(section, name), is_set, origin(std::move(how)));
}

void Reading::put_variable(std::string_view name, std::string text, std::string how) const {
  put(field::variable(name), std::move(text), std::move(how));
}

}  // namespace lockstep::config
