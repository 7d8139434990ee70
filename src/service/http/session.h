// One connection: requests are read, handed over, and answered when their answer is there. For the sources of
// the server alone: it carries the HTTP library with it.
#pragma once

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include "service/http/message.h"
#include "service/http/message_from.h"
#include "service/http/server.h"

namespace lockstep::service {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using UnixStream = beast::basic_stream<asio::local::stream_protocol>;
using TcpStream = beast::basic_stream<asio::ip::tcp>;
using TlsStream = beast::ssl_stream<beast::basic_stream<asio::ip::tcp>>;

class Session {
 public:
  virtual ~Session() = default;
  virtual void send(Response response) = 0;
  // Looks whether the source of an answer has something by now.
  virtual void go_on() = 0;
};

struct Arrived {
  std::shared_ptr<Session> session;
  Request request;
};

// What all sessions share.
struct Shared {
  asio::io_context& io;
  const ServerLimits& limits;
  const ServerHooks& hooks;
  std::set<std::shared_ptr<Session>> waiting = {};  // for more to tell
  std::vector<Arrived> arrived = {};                // to be answered together
  std::function<void()> on_arrival = {};
  std::size_t connections = 0;
  Clock::time_point last_use = Clock::now();
};

template <typename Stream>
class SessionOver final : public Session, public std::enable_shared_from_this<SessionOver<Stream>> {
 public:
  template <typename... More>
  explicit SessionOver(Shared& shared, More&&... more)
      : stream_(std::forward<More>(more)...), shared_(shared) {
    ++shared_.connections;
  }
  SessionOver(const SessionOver&) = delete;
  SessionOver& operator=(const SessionOver&) = delete;
  ~SessionOver() override {
    --shared_.connections;
    shared_.last_use = Clock::now();
  }

  void start() {
    if constexpr (kIsTls) {
      lowest().expires_after(shared_.limits.read_time);
      stream_.async_handshake(asio::ssl::stream_base::server, [self = self()](error_code fault) {
        if (fault) return self->lowest().close();
        self->read();
      });
    } else {
      read();
    }
  }

  void go_on() override {
    std::string bytes;
    const BodySource::Next next = source_->next(bytes);
    if (next == BodySource::Next::kWait && Clock::now() - last_write_ > kHeartbeat && is_event_stream_) {
      return write_piece(": still here\n\n");
    }
    if (next == BodySource::Next::kWait) {
      shared_.waiting.insert(self());
      return;
    }
    if (next == BodySource::Next::kEnd && bytes.empty()) return close();
    ends_after_piece_ = next == BodySource::Next::kEnd;
    write_piece(std::move(bytes));
  }

  void send(Response response) override {
    response_ = std::make_unique<http::response<http::string_body>>(
        static_cast<http::status>(response.status), version_);
    response_->set(http::field::content_type, response.content_type);
    response_->set(http::field::cache_control, "no-store");
    // What a job prints or leaves behind is never anything else to a browser, as a script of this origin.
    response_->set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : response.headers) response_->set(name, value);
    is_event_stream_ = response.content_type == "text/event-stream";
    source_ = std::move(response.source);
    lowest().expires_after(shared_.limits.write_time);
    if (source_ != nullptr) return send_head();
    response_->body() = std::move(response.body);
    response_->keep_alive(keeps_alive_);
    response_->prepare_payload();
    if (is_head_) response_->body().clear();
    http::async_write(stream_, *response_, [self = self()](error_code fault, std::size_t) {
      if (fault || !self->keeps_alive_) return self->close();
      self->read();
    });
  }

 private:
  static constexpr bool kIsTls = std::is_same_v<Stream, TlsStream>;
  static constexpr std::chrono::seconds kHeartbeat{15};
  static constexpr std::chrono::seconds kTimeToPart{2};
  static constexpr std::size_t kMaxUnread = std::size_t{32} << 20;

  std::shared_ptr<SessionOver> self() { return this->shared_from_this(); }
  auto& lowest() { return beast::get_lowest_layer(stream_); }

  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(shared_.limits.head_bytes));
    parser_->body_limit(shared_.limits.body_bytes);
    lowest().expires_after(shared_.limits.read_time);
    http::async_read_header(stream_, buffer_, *parser_, [self = self()](error_code fault, std::size_t) {
      if (fault) return self->on_fault(fault);
      self->on_head();
    });
  }

  // A stranger's body is not read.
  void on_head() {
    const auto& message = parser_->get();
    keeps_alive_ = message.keep_alive();
    version_ = message.version();
    is_head_ = message.method() == http::verb::head;
    auto request = request_from(message, peer());
    if (!request) {
      return refuse(answer(
          Problem{.status = 400, .code = "bad_request", .title = "The target of the request is not sound"}));
    }
    if (std::is_same_v<Stream, TcpStream> && shared_.hooks.visitor) {
      request->peer = shared_.hooks.visitor(*request);
    }
    if (!parser_->is_done()) {
      if (auto refusal = shared_.hooks.refusal(*request)) return refuse(std::move(*refusal));
    }
    http::async_read(stream_, buffer_, *parser_,
                     [self = self(), request = std::move(*request)](error_code fault, std::size_t) mutable {
                       if (fault) return self->on_fault(fault);
                       request.body = std::move(self->parser_->get().body());
                       self->hand_over(std::move(request));
                     });
  }

  void hand_over(Request request) {
    shared_.last_use = Clock::now();
    shared_.arrived.push_back({self(), std::move(request)});
    shared_.on_arrival();
  }

  void on_fault(error_code fault) {
    if (fault == http::error::header_limit) {
      return refuse(answer(
          Problem{.status = 431, .code = "head_too_large", .title = "The head of the request is too large"}));
    }
    if (fault == http::error::body_limit) {
      return refuse(answer(
          Problem{.status = 413, .code = "body_too_large", .title = "The body of the request is too large"}));
    }
    const bool is_no_http = fault.category() == make_error_code(http::error::bad_method).category() &&
                            fault != http::error::end_of_stream && fault != http::error::partial_message;
    if (!is_no_http) return close();
    refuse(answer(Problem{.status = 400,
                          .code = "bad_request",
                          .title = "This is no HTTP request",
                          .detail = fault.message()}));
  }

  void refuse(Response response) {
    keeps_alive_ = false;
    leaves_something_unread_ = true;
    send(std::move(response));
  }

  std::optional<uid_t> peer() {
    if constexpr (!std::is_same_v<Stream, UnixStream>) return std::nullopt;
    return peer_of(lowest().socket().native_handle());
  }

  // The end of the connection is the end of what comes bit by bit.
  void send_head() {
    response_->keep_alive(false);
    response_->set("X-Accel-Buffering", "no");
    serializer_ = std::make_unique<http::response_serializer<http::string_body>>(*response_);
    http::async_write_header(stream_, *serializer_, [self = self()](error_code fault, std::size_t) {
      if (fault || self->is_head_) return self->close();
      self->last_write_ = Clock::now();
      self->response_.reset();
      self->parser_.reset();
      self->go_on();
    });
  }

  void write_piece(std::string bytes) {
    piece_ = std::move(bytes);
    last_write_ = Clock::now();
    lowest().expires_after(shared_.limits.write_time);
    asio::async_write(stream_, asio::buffer(piece_), [self = self()](error_code fault, std::size_t) {
      if (fault || self->ends_after_piece_) return self->close();
      self->piece_ = {};
      self->go_on();
    });
  }

  void close() {
    shared_.waiting.erase(self());
    lowest().expires_after(kTimeToPart);
    if constexpr (kIsTls) {
      stream_.async_shutdown([self = self()](error_code) { self->part(); });
    } else {
      part();
    }
  }

  // A socket that is closed with bytes unread resets the connection, and the answer may never be seen.
  void part() {
    error_code ignored;
    lowest().socket().shutdown(asio::socket_base::shutdown_send, ignored);
    if (!leaves_something_unread_ || unread_ > kMaxUnread) return lowest().close();
    buffer_.clear();
    lowest().async_read_some(buffer_.prepare(16 << 10), [self = self()](error_code fault, std::size_t count) {
      if (fault) return self->lowest().close();
      self->unread_ += count;
      self->part();
    });
  }

  Stream stream_;
  Shared& shared_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::unique_ptr<http::response<http::string_body>> response_;
  std::unique_ptr<http::response_serializer<http::string_body>> serializer_;
  std::unique_ptr<BodySource> source_;
  std::string piece_;
  Clock::time_point last_write_{};
  std::size_t unread_ = 0;
  unsigned version_ = 11;
  bool keeps_alive_ = false;
  bool is_head_ = false;
  bool is_event_stream_ = false;
  bool ends_after_piece_ = false;
  bool leaves_something_unread_ = false;
};

}  // namespace lockstep::service
