// The service as its clients see it: requests over its Unix socket or over TLS, and a service that starts
// when it is needed.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "service/client/channel.h"

namespace lockstep::service {

// LOCKSTEP_STATE, else lockstep/ in XDG_STATE_HOME, else ~/.local/state/lockstep.
std::filesystem::path default_state_folder();
std::filesystem::path socket_in(const std::filesystem::path& state_folder);

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

// An answer that came line by line, or why there was none.
struct Streamed {
  std::optional<Trouble> trouble = {};
  Error error = {};
};

// By which door a client comes in.
struct Access {
  std::filesystem::path socket = {};
  std::optional<RemotePlace> remote = {};  // in place of the socket
  std::string token = {};
};

class Client {
 public:
  // Starts `program serve` for this folder when nobody listens there.
  static Result<Client> connect(const std::filesystem::path& state_folder, const std::string& program);

  // None is started: nothing where nobody listens.
  static std::optional<Client> to_running(const std::filesystem::path& state_folder);

  // With a token of that service.
  static Result<Client> connect_remote(const RemotePlace& place, const std::string& token);

  Result<Answer> send(std::string_view method, std::string_view target, std::string_view body = {},
                      const std::map<std::string, std::string>& headers = {}) const;

  // Hands on the bytes of an answer as they come. An answer that is cut short is an error, as is one that is
  // not 200.
  Result<void> download(std::string_view target,
                        const std::function<Result<void>(std::string_view)>& on_bytes) const;

  // Hands on an answer line by line as it comes. False from `on_line` ends it. An answer that is not 200
  // comes as an error with its title and detail.
  Streamed stream(std::string_view target, const std::map<std::string, std::string>& headers,
                  const std::function<bool(std::string_view)>& on_line) const;

 private:
  explicit Client(Access access) : access_(std::move(access)) {}
  Connection connection() const;
  Result<std::unique_ptr<Channel>> channel() const;
  Access access_;
};

// What a problem says, as our errors have it.
Error error_from(const Answer& answer);

// How long a service may be away before a follower gives it up: ten seconds, since one that starts again with
// thousands of jobs in its store is there before. Held by FollowLogTest.GivesUpWhenTheServiceStaysAway.
struct FollowPatience {
  int tries = 50;
  std::chrono::milliseconds between{200};
};

// What a job prints, as it comes, until it is over. Hands on each line once, through restarts of the service;
// `query` narrows it ("&rank=3"). False from `on_line` ends it. An error when the service refuses, or is gone
// for longer than a restart takes.
Result<void> follow_log(const Client& client, const std::string& job_id, const std::string& query,
                        const std::function<bool(int rank, const std::string& text)>& on_line,
                        const FollowPatience& patience = {});

// Makes the folder and starts `program serve` in the background. Of several that are started at once one
// stays.
Result<void> start_service(const std::filesystem::path& state_folder, const std::string& program);

// The path of this very program.
Result<std::string> own_program();

}  // namespace lockstep::service
