// The answer of another server, out of all bytes that it sent before it closed the connection.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::service {

struct WholeAnswer {
  int status = 0;
  std::string body;

  bool is_good() const { return status >= 200 && status < 300; }
};

// None: it was cut short, or is no answer.
std::optional<WholeAnswer> whole_answer_in(std::string_view bytes);

}  // namespace lockstep::service
