// The connection of a client: bytes to the service and back, over its Unix socket or over TLS.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lockstep::service {

class Channel {
 public:
  virtual ~Channel() = default;
  virtual bool write_all(std::string_view bytes) = 0;
  virtual long read_some(char* bytes, std::size_t size) = 0;  // 0: the end; below: a fault
};

// Where a service is and how to be let in.
struct RemotePlace {
  std::string host;
  std::uint16_t port = 443;
  std::filesystem::path authorities = {};  // certificates to trust; empty: those of the system
  // Where the client has a certificate of its own too.
  struct Pem {
    std::string authorities = {};
    std::string certificate = {};
    std::string key = {};
  };
  Pem pem = {};
  std::string certified_name = {};   // empty: the host
  bool is_unverified = false;        // whoever answers is believed
  std::chrono::seconds patience{0};  // with each step; 0: without end
};

// Whether a service that gave nothing may do so later: it is away, as while it starts again, or it said no.
enum class Trouble : std::uint8_t { kAway, kRefused };

// A channel, or why there is none.
struct Connection {
  std::unique_ptr<Channel> channel = {};
  Trouble trouble = Trouble::kRefused;
  Error error = {};
};

Connection open_unix(const std::filesystem::path& socket);
// The certificate must be one for this host.
Connection open_tls(const RemotePlace& place);

// For those to whom every trouble is the same.
Result<std::unique_ptr<Channel>> connect_unix(const std::filesystem::path& socket);
Result<std::unique_ptr<Channel>> connect_tls(const RemotePlace& place);

// "https://host:8443".
Result<RemotePlace> remote_place(const std::string& url);

}  // namespace lockstep::service
