// The terminal as the view needs it: every key at once, nothing echoed, a screen of its own, no cursor. It is
// given back as it was, whatever happens: on leave(), when the object goes, and when the process crashes.
//
// One at a time in a process. Its descriptor is its own, so that making it non-blocking changes nothing for
// the shell or for programs that share standard output.
#pragma once

#include <string>
#include <string_view>
#include <termios.h>
#include <vector>

#include "base/process/descriptor.h"
#include "base/result.h"
#include "top/view_state.h"

namespace lockstep::top {

// What must be sent to a terminal so that it shows other lines: only those that changed.
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

class RawTerminal {
 public:
  // Opens the terminal that controls the process and changes nothing yet.
  static Result<RawTerminal> open();

  RawTerminal(RawTerminal&& other) noexcept;
  RawTerminal& operator=(RawTerminal&&) = delete;
  ~RawTerminal();

  int fd() const { return tty_.get(); }
  Size size() const;

  // A process in the background must not change the terminal of the one in front.
  bool is_in_front() const;

  bool is_entered() const { return is_entered_; }
  void enter();  // again after another program had the terminal: what leave() restores stays the same
  void leave();

  // What may be read now; to be called when there is something. Nothing, and is_gone(), after a hang-up.
  std::string read_keys();
  bool is_gone() const { return is_gone_; }

  // Output waits here while the terminal takes no more; flush() sends what it takes.
  void send(std::string_view bytes) { unsent_ += bytes; }
  void flush();
  bool has_unsent() const { return !unsent_.empty(); }

 private:
  explicit RawTerminal(process::Descriptor tty) : tty_(std::move(tty)) {}
  void flush_before(int patience_ms);

  process::Descriptor tty_;
  termios before_{};
  std::string unsent_;
  bool is_entered_ = false;
  bool is_gone_ = false;
};

}  // namespace lockstep::top
