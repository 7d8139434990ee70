// The service as its clients see it: requests over its Unix socket, and a service that starts when it is
// needed.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lockstep::service {

// LOCKSTEP_STATE, else lockstep/ in XDG_STATE_HOME, else ~/.local/state/lockstep.
std::filesystem::path default_state_folder();
std::filesystem::path socket_in(const std::filesystem::path& state_folder);

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

class Client {
 public:
  // Starts `program serve` for this folder when nobody listens there.
  static Result<Client> connect(const std::filesystem::path& state_folder, const std::string& program);

  Result<Answer> send(std::string_view method, std::string_view target, std::string_view body = {},
                      const std::map<std::string, std::string>& headers = {}) const;

  // Hands on an answer line by line as it comes. False from `on_line` ends it. An answer that is not 200
  // comes as an error with its title and detail.
  Result<void> stream(std::string_view target, const std::map<std::string, std::string>& headers,
                      const std::function<bool(std::string_view)>& on_line) const;

 private:
  explicit Client(std::filesystem::path socket) : socket_(std::move(socket)) {}
  std::filesystem::path socket_;
};

// What a problem says, as our errors have it.
Error error_from(const Answer& answer);

}  // namespace lockstep::service
