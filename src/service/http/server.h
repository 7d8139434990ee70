// HTTP over sockets. Everything runs on one thread, the caller's; the library behind it stays in the source
// file.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>

#include "base/result.h"
#include "service/http/message.h"

namespace lockstep::service {

struct ServerLimits {
  std::size_t head_bytes = 16 << 10;
  std::size_t body_bytes = 8 << 20;
  std::chrono::seconds read_time{15};   // for the whole of a request
  std::chrono::seconds write_time{30};  // for each piece of an answer
  std::size_t connections = 16'384;
};

struct ServerHooks {
  std::function<Response(const Request&)> answer;
  // About four times a second, at once when a child ends, and after each request that may have changed
  // something.
  std::function<void()> tick;
  std::function<bool()> may_rest;  // whether nothing is left to do but wait for requests
};

struct ServerPlace {
  std::filesystem::path socket;
  std::chrono::seconds rest_after{0};  // without work or connections for so long, run() returns; 0: never
};

// Serves until SIGTERM or SIGINT, or until it may rest. `on_ready` is called once connections are taken.
Result<void> run_server(const ServerPlace& place, const ServerLimits& limits, const ServerHooks& hooks,
                        const std::function<void()>& on_ready);

}  // namespace lockstep::service
