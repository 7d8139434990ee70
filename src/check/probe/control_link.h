// The way between the one who probes and one agent: a connection, or the input and output of a program that a
// launcher started there. Never blocks.
#pragma once

#include <deque>
#include <optional>
#include <poll.h>
#include <string>

#include "base/process/descriptor.h"
#include "check/probe/messages.h"
#include "run/multihost/sealed_stream.h"

namespace lockstep::probe {

class ControlLink {
 public:
  // An agent is the satellite. `in` and `out` may be the same open file.
  ControlLink(multihost::Side side, std::string token, process::Descriptor in, process::Descriptor out);

  // What a login shell or a launcher prints before the agent speaks is passed over.
  void skip_what_others_print() { skips_ = true; }

  void send(const Message& message);  // kept until greetings are exchanged
  std::optional<Message> next();
  // Reads and writes as far as that goes now.
  void exchange();

  void add_to(std::vector<pollfd>& polled) const;
  bool is_trusted() const { return stream_.is_trusted(); }
  bool is_over() const { return !over_.empty(); }
  const std::string& why_over() const { return over_; }
  bool has_unsent() const { return !stream_.unsent().empty() || !waiting_.empty(); }

 private:
  void take(std::string_view bytes);
  void write_what_is_there();
  void read_what_is_there();

  process::Descriptor in_;
  process::Descriptor out_;
  multihost::SealedStream stream_;
  std::deque<std::string> waiting_;
  std::string passed_over_;  // its end may be the beginning of the greeting
  std::size_t passed_over_bytes_ = 0;
  bool skips_ = false;
  std::string over_;
};

}  // namespace lockstep::probe
