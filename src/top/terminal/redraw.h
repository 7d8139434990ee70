// What must be sent to a terminal so that it shows other lines: only those that changed.
#pragma once

#include <string>
#include <vector>

namespace lockstep::top {

class Redraw {
 public:
  // `lines` are painted, one for each row of the screen, and wipe their rows themselves.
  std::string update(const std::vector<std::string>& lines);

  // The terminal shows something else now, or has another size.
  void forget() { is_known_ = false; }

 private:
  std::vector<std::string> shown_;
  bool is_known_ = false;
};

}  // namespace lockstep::top
