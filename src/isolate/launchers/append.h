// Adding words to a control.
#pragma once

#include <initializer_list>
#include <span>
#include <string>

#include "isolate/control.h"

namespace lockstep::isolate {

inline void append(Words& words, std::span<const std::string> more) {
  words.insert(words.end(), more.begin(), more.end());
}
inline void append(Words& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

inline void add_launcher(Control& control, std::string_view name) {
  if (!control.launcher.empty()) control.launcher += " and ";
  control.launcher += name;
}

inline void add_changes(Control& control, const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    std::erase_if(control.changes, [&](const Change& earlier) { return earlier.name == change.name; });
    control.changes.push_back(change);
  }
}

}  // namespace lockstep::isolate
