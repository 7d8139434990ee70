#include "model/log_marks.h"

namespace lockstep::model {

std::string regex_of(std::string_view mark) {
  std::string regex;
  for (const char c : mark) {
    if (c == '(' || c == ')') regex += '\\';
    regex += c;
  }
  return regex;
}

}  // namespace lockstep::model
