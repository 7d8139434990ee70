// HTTP over sockets. Everything runs on one thread, the caller's; the library behind it stays in the source
// files.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
  // Requests that came at about the same time; as many answers, in the same order.
  std::function<std::vector<Response>(std::span<const Request>)> answer;
  // For a request whose body is still to come: an answer that can be given without it.
  std::function<std::optional<Response>(const Request&)> refusal;
  // About four times a second, at once when a child ends, and after requests that may have changed something.
  std::function<void()> tick;
  // Who asks on the port of this machine, where nothing but the request tells.
  std::function<std::optional<uid_t>(const Request&)> visitor;
  std::function<bool()> may_rest;  // whether nothing is left to do but wait for requests
};

// A port for others, which is never without TLS.
struct TlsPlace {
  std::string host;
  std::uint16_t port = 0;  // 0: a free one
  std::filesystem::path certificate;
  std::filesystem::path key;
};

struct ServerPlace {
  std::filesystem::path socket;
  std::chrono::seconds rest_after{0};  // without work or connections for so long, run() returns; 0: never
  std::optional<TlsPlace> tls = {};
  std::optional<std::uint16_t> local_port = {};  // of 127.0.0.1, without TLS; 0: a free one
};

// Where it listens; 0: nowhere.
struct Ports {
  std::uint16_t tls = 0;
  std::uint16_t local = 0;
  // Opens the port of this machine while it serves; 0: a free one. The port, the one it has where it is open.
  std::function<Result<std::uint16_t>(std::uint16_t port)> open_local = {};
};

// Descriptors that connections leave for everything else (the folders of jobs, the store, starts), and those
// that what connections open leaves of them. Held by service_hardship_test.py.
inline constexpr int kKeptFromConnections = 24;
inline constexpr int kKeptFromFiles = 12;

// Whether so many descriptors of this process are free behind its newest one: the system gives the lowest.
bool leaves_descriptors(int newest, int kept);

// Serves until SIGTERM or SIGINT, or until it may rest. `on_ready` is called once connections are taken.
Result<void> run_server(const ServerPlace& place, const ServerLimits& limits, const ServerHooks& hooks,
                        const std::function<void(const Ports&)>& on_ready);

}  // namespace lockstep::service
