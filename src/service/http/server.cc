#include "service/http/server.h"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <memory>
#include <set>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "service/http/problem.h"

namespace lockstep::service {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using Unix = asio::local::stream_protocol;
using Stream = beast::basic_stream<Unix>;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{250};
constexpr std::chrono::milliseconds kLookForMore{50};
constexpr std::chrono::seconds kHeartbeat{15};

std::optional<uid_t> peer_of(Stream& stream) {
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(stream.socket().native_handle(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
    return std::nullopt;
  return who.uid;
}

std::optional<Request> request_from(const http::request<http::string_body>& message,
                                    std::optional<uid_t> peer) {
  const std::string_view target(message.target().data(), message.target().size());
  const std::size_t mark = target.find('?');
  Request request;
  auto path = percent_decoded(target.substr(0, mark));
  auto query = parse_query(mark == std::string_view::npos ? "" : target.substr(mark + 1));
  if (!path || !query) return std::nullopt;
  request.method = std::string(message.method_string());
  request.path = std::move(*path);
  request.query = std::move(*query);
  for (const auto& field : message) {
    std::string name(field.name_string());
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    request.headers[name] = std::string(field.value());
  }
  request.body = message.body();
  request.peer = peer;
  return request;
}

class Session;

// What all sessions share.
struct Shared {
  asio::io_context& io;
  const ServerLimits& limits;
  const ServerHooks& hooks;
  std::set<std::shared_ptr<Session>> waiting;  // for more to tell
  std::size_t connections = 0;
  Clock::time_point last_use = Clock::now();
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Unix::socket socket, Shared& shared) : stream_(std::move(socket)), shared_(shared) {
    ++shared_.connections;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    --shared_.connections;
    shared_.last_use = Clock::now();
  }

  void start() { read(); }

  // Looks whether the source has something by now.
  void go_on() {
    std::string bytes;
    const BodySource::Next next = source_->next(bytes);
    if (next == BodySource::Next::kWait && Clock::now() - last_write_ > kHeartbeat && is_event_stream_) {
      return write_piece(": still here\n\n");
    }
    if (next == BodySource::Next::kWait) {
      shared_.waiting.insert(shared_from_this());
      return;
    }
    if (next == BodySource::Next::kEnd && bytes.empty()) return close();
    ends_after_piece_ = next == BodySource::Next::kEnd;
    write_piece(std::move(bytes));
  }

 private:
  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(shared_.limits.head_bytes));
    parser_->body_limit(shared_.limits.body_bytes);
    stream_.expires_after(shared_.limits.read_time);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code fault, std::size_t) { self->on_read(fault); });
  }

  void on_read(error_code fault) {
    if (fault == http::error::header_limit) {
      return refuse(
          {.status = 431, .code = "head_too_large", .title = "The head of the request is too large"});
    }
    if (fault == http::error::body_limit) {
      return refuse(
          {.status = 413, .code = "body_too_large", .title = "The body of the request is too large"});
    }
    if (fault == beast::error::timeout || fault == http::error::end_of_stream) return close();
    if (fault && fault.category() == make_error_code(http::error::bad_method).category()) {
      return refuse({.status = 400,
                     .code = "bad_request",
                     .title = "This is no HTTP request",
                     .detail = fault.message()});
    }
    if (fault) return close();
    shared_.last_use = Clock::now();
    const auto& message = parser_->get();
    keeps_alive_ = message.keep_alive();
    version_ = message.version();
    is_head_ = message.method() == http::verb::head;
    auto request = request_from(message, peer_of(stream_));
    if (!request) {
      return refuse(
          {.status = 400, .code = "bad_request", .title = "The target of the request is not sound"});
    }
    send(shared_.hooks.answer(*request));
    shared_.hooks.tick();
  }

  void refuse(const Problem& problem) {
    keeps_alive_ = false;
    send(answer(problem));
  }

  void send(Response response) {
    response_ = std::make_unique<http::response<http::string_body>>(
        static_cast<http::status>(response.status), version_);
    response_->set(http::field::content_type, response.content_type);
    response_->set(http::field::cache_control, "no-store");
    for (const auto& [name, value] : response.headers) response_->set(name, value);
    is_event_stream_ = response.content_type == "text/event-stream";
    source_ = std::move(response.source);
    stream_.expires_after(shared_.limits.write_time);
    if (source_ != nullptr) return send_head();
    response_->body() = std::move(response.body);
    response_->keep_alive(keeps_alive_);
    response_->prepare_payload();
    if (is_head_) response_->body().clear();
    http::async_write(stream_, *response_, [self = shared_from_this()](error_code fault, std::size_t) {
      if (fault || !self->keeps_alive_) return self->close();
      self->read();
    });
  }

  // The end of the connection is the end of what comes bit by bit.
  void send_head() {
    response_->keep_alive(false);
    response_->set("X-Accel-Buffering", "no");
    serializer_ = std::make_unique<http::response_serializer<http::string_body>>(*response_);
    http::async_write_header(stream_, *serializer_,
                             [self = shared_from_this()](error_code fault, std::size_t) {
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
    stream_.expires_after(shared_.limits.write_time);
    asio::async_write(stream_, asio::buffer(piece_),
                      [self = shared_from_this()](error_code fault, std::size_t) {
                        if (fault || self->ends_after_piece_) return self->close();
                        self->piece_ = {};
                        self->go_on();
                      });
  }

  void close() {
    shared_.waiting.erase(shared_from_this());
    error_code ignored;
    stream_.socket().shutdown(Unix::socket::shutdown_both, ignored);
    stream_.close();
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
  unsigned version_ = 11;
  bool keeps_alive_ = false;
  bool is_head_ = false;
  bool is_event_stream_ = false;
  bool ends_after_piece_ = false;
};

class Server {
 public:
  Server(const ServerPlace& place, const ServerLimits& limits, const ServerHooks& hooks)
      : place_(place),
        shared_{io_, limits, hooks, {}, 0, Clock::now()},
        acceptor_(io_),
        signals_(io_),
        ticks_(io_),
        looks_(io_) {}

  Result<void> listen() {
    ::unlink(place_.socket.c_str());
    error_code fault;
    acceptor_.open(Unix(), fault);
    const mode_t before = ::umask(0177);  // nobody else may even connect
    if (!fault) acceptor_.bind(Unix::endpoint(place_.socket.string()), fault);
    ::umask(before);
    if (!fault) acceptor_.listen(4096, fault);
    if (fault) return Error{"cannot listen", place_.socket.string(), fault.message(), ""};
    return {};
  }

  void run() {
    accept();
    wait_for_signals();
    tick_later();
    look_for_more();
    io_.run();
    ::unlink(place_.socket.c_str());
  }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code fault, Unix::socket socket) {
      if (!fault && shared_.connections < shared_.limits.connections) {
        std::make_shared<Session>(std::move(socket), shared_)->start();
      }
      if (fault != asio::error::operation_aborted) accept();
    });
  }

  void wait_for_signals() {
    for (const int number : {SIGTERM, SIGINT, SIGCHLD}) signals_.add(number);
    next_signal();
  }

  void next_signal() {
    signals_.async_wait([this](error_code fault, int number) {
      if (fault) return;
      if (number != SIGCHLD) return io_.stop();
      shared_.hooks.tick();
      next_signal();
    });
  }

  void tick_later() {
    ticks_.expires_after(kTick);
    ticks_.async_wait([this](error_code fault) {
      if (fault) return;
      shared_.hooks.tick();
      if (is_rested()) return io_.stop();
      tick_later();
    });
  }

  bool is_rested() const {
    return place_.rest_after.count() > 0 && shared_.connections == 0 && shared_.hooks.may_rest() &&
           Clock::now() - shared_.last_use > place_.rest_after;
  }

  void look_for_more() {
    looks_.expires_after(kLookForMore);
    looks_.async_wait([this](error_code fault) {
      if (fault) return;
      for (const auto& session : std::exchange(shared_.waiting, {})) session->go_on();
      look_for_more();
    });
  }

  const ServerPlace& place_;
  asio::io_context io_{1};
  Shared shared_;
  Unix::acceptor acceptor_;
  asio::signal_set signals_;
  asio::steady_timer ticks_;
  asio::steady_timer looks_;
};

// Each stream holds a socket and a file; some are left for everything else.
std::size_t most_connections(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const std::size_t possible = limit.rlim_cur > 128 ? (limit.rlim_cur - 64) / 2 : 32;
  return std::min(wanted, possible);
}

}  // namespace

Result<void> run_server(const ServerPlace& place, const ServerLimits& limits, const ServerHooks& hooks,
                        const std::function<void()>& on_ready) {
  ServerLimits possible = limits;
  possible.connections = most_connections(limits.connections);
  Server server(place, possible, hooks);
  TRY(server.listen());
  on_ready();
  server.run();
  return {};
}

}  // namespace lockstep::service
