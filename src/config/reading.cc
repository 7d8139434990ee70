#include "config/reading.h"

#include <algorithm>

namespace lockstep::config {

void Reading::put(const FieldPath& field, std::string text, std::string how) const {
  if (text.find(kOnlyAtRunTime) == std::string::npos) {
    launch.erase(Fields::at_run_time(field));
    launch.set(field, std::move(text), origin(std::move(how)));
    return;
  }
  launch.erase(field);
  std::erase(text, kOnlyAtRunTime);
  launch.set(Fields::at_run_time(field), std::move(text), origin(std::move(how)));
}

void Reading::put_variable(std::string_view name, std::string text, std::string how) const {
  put(Fields::variable(name), std::move(text), std::move(how));
}

}  // namespace lockstep::config
