#include "service/http/server.h"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>

#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "service/http/session.h"

namespace lockstep::service {
namespace {

using Unix = asio::local::stream_protocol;
using Tcp = asio::ip::tcp;

constexpr std::chrono::milliseconds kTick{250};
constexpr std::chrono::milliseconds kLookForMore{50};
constexpr std::chrono::milliseconds kLookSoon{10};
constexpr std::size_t kFewStreams = 100;
constexpr int kBacklog = 4096;
constexpr int kMaxRounds = 4096;
constexpr int kQuietRounds = 6;  // from a connection that is taken to its request that is read
constexpr int kStreamsAtOnce = 64;
// Of the bodies of requests: some milliseconds of parsing. One larger body is a turn of its own.
constexpr std::size_t kSmallBody = std::size_t{64} << 10;
constexpr std::size_t kBytesOfATurn = std::size_t{4} << 20;

// TLS 1.2 and later, with the certificate that the user gave.
Result<void> prepare(asio::ssl::context& tls, const TlsPlace& place) {
  error_code fault;
  tls.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                      asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                      asio::ssl::context::no_tlsv1_1,
                  fault);
  if (!fault) tls.use_certificate_chain_file(place.certificate.string(), fault);
  if (fault)
    return Error{"cannot use the certificate", place.certificate.string(), fault.message(),
                 "give a PEM file with --tls-cert"};
  tls.use_private_key_file(place.key.string(), asio::ssl::context::pem, fault);
  if (fault)
    return Error{"cannot use the key", place.key.string(), fault.message(),
                 "give the PEM file that belongs to the certificate with --tls-key"};
  return {};
}

// Small requests are all served at once, and before the large ones, of which as many wait for the next turn
// as are more than one turn may read: who asks for little does not wait for who sends much.
std::vector<Arrived> take_a_share(std::vector<Arrived>& arrived) {
  std::ranges::stable_sort(arrived, {},
                           [](const Arrived& one) { return one.request.body.size() > kSmallBody; });
  std::size_t bytes = 0;
  auto end = arrived.begin();
  while (end != arrived.end() &&
         (end == arrived.begin() || bytes + end->request.body.size() <= kBytesOfATurn))
    bytes += (end++)->request.body.size();
  std::vector<Arrived> share(std::make_move_iterator(arrived.begin()), std::make_move_iterator(end));
  arrived.erase(arrived.begin(), end);
  return share;
}

class Server {
 public:
  Server(const ServerPlace& place, const ServerLimits& limits, const ServerHooks& hooks)
      : place_(place),
        shared_{io_, limits, hooks},
        acceptor_(io_),
        tls_(asio::ssl::context::tls_server),
        tls_acceptor_(io_),
        local_acceptor_(io_),
        signals_(io_),
        ticks_(io_),
        looks_(io_) {
    shared_.on_arrival = [this] { take_a_turn(); };
  }

  Result<Ports> listen() {
    ::unlink(place_.socket.c_str());
    error_code fault;
    acceptor_.open(Unix(), fault);
    const mode_t before = ::umask(0177);  // nobody else may even connect
    if (!fault) acceptor_.bind(Unix::endpoint(place_.socket.string()), fault);
    ::umask(before);
    if (!fault) acceptor_.listen(kBacklog, fault);
    if (fault) return Error{"cannot listen", place_.socket.string(), fault.message(), ""};
    Ports ports;
    if (place_.tls) {
      TRY(prepare(tls_, *place_.tls));
      ports.tls = TRY(listen_on(tls_acceptor_, place_.tls->host, place_.tls->port));
    }
    if (place_.local_port) ports.local = TRY(open_local(*place_.local_port));
    ports.open_local = [this](std::uint16_t port) { return open_local(port); };
    return ports;
  }

  void run() {
    accept();
    if (place_.tls) accept_tls();
    wait_for_signals();
    tick_later();
    look_for_more();
    io_.run();
    ::unlink(place_.socket.c_str());
  }

 private:
  Result<std::uint16_t> listen_on(Tcp::acceptor& acceptor, const std::string& host, std::uint16_t port) {
    const std::string where = host + ":" + std::to_string(port);
    error_code fault;
    const auto found = Tcp::resolver(io_).resolve(host, std::to_string(port), Tcp::resolver::passive, fault);
    if (fault || found.empty())
      return Error{"cannot listen", where, fault.message(), "give --listen as HOST:PORT"};
    const Tcp::endpoint endpoint = *found.begin();
    acceptor.open(endpoint.protocol(), fault);
    if (!fault) acceptor.set_option(asio::socket_base::reuse_address(true), fault);
    if (!fault) acceptor.bind(endpoint, fault);
    if (!fault) acceptor.listen(kBacklog, fault);
    if (fault) return Error{"cannot listen", where, fault.message(), "give another port"};
    return acceptor.local_endpoint(fault).port();
  }

  Result<std::uint16_t> open_local(std::uint16_t port) {
    error_code fault;
    if (local_acceptor_.is_open()) return local_acceptor_.local_endpoint(fault).port();
    auto opened = listen_on(local_acceptor_, "127.0.0.1", port);
    if (opened.ok()) {
      accept_local();
    } else {
      local_acceptor_.close(fault);
    }
    return opened;
  }

  template <typename Socket>
  bool has_room_for(Socket& socket) const {
    return shared_.connections < shared_.limits.connections &&
           leaves_descriptors(socket.native_handle(), kKeptFromConnections);
  }

  // A system that has nothing left to accept with says so again at once: it is asked again at the next tick.
  template <typename Accept>
  void accept_again(error_code fault, Accept accept) {
    if (fault == asio::error::operation_aborted) return;
    if (!fault) return accept();
    auto pause = std::make_shared<asio::steady_timer>(io_, kTick);
    pause->async_wait([pause, accept](error_code stopped) {
      if (!stopped) accept();
    });
  }

  void accept() {
    acceptor_.async_accept([this](error_code fault, Unix::socket socket) {
      if (!fault && has_room_for(socket))
        std::make_shared<SessionOver<UnixStream>>(shared_, std::move(socket))->start();
      accept_again(fault, [this] { accept(); });
    });
  }

  void accept_tls() {
    tls_acceptor_.async_accept([this](error_code fault, Tcp::socket socket) {
      if (!fault && has_room_for(socket))
        std::make_shared<SessionOver<TlsStream>>(shared_, std::move(socket), tls_)->start();
      accept_again(fault, [this] { accept_tls(); });
    });
  }

  void accept_local() {
    local_acceptor_.async_accept([this](error_code fault, Tcp::socket socket) {
      if (!fault && has_room_for(socket))
        std::make_shared<SessionOver<TcpStream>>(shared_, std::move(socket))->start();
      accept_again(fault, [this] { accept_local(); });
    });
  }

  void take_a_turn() {
    if (turn_is_due_) return;
    turn_is_due_ = true;
    rounds_ = quiet_rounds_ = 0;
    seen_ = {};
    take_all_that_is_there();
  }

  // While others are still coming and being read, they come along: one write to the disk serves all of them.
  void take_all_that_is_there() {
    const std::pair now{shared_.arrived.size(), shared_.connections};
    quiet_rounds_ = now == seen_ ? quiet_rounds_ + 1 : 0;
    seen_ = now;
    if (quiet_rounds_ < kQuietRounds && ++rounds_ < kMaxRounds)
      return asio::post(io_, [this] { take_all_that_is_there(); });
    turn_is_due_ = false;
    std::vector<Request> requests;
    std::vector<std::shared_ptr<Session>> sessions;
    for (Arrived& one : take_a_share(shared_.arrived)) {
      requests.push_back(std::move(one.request));
      sessions.push_back(std::move(one.session));
    }
    std::vector<Response> responses = shared_.hooks.answer(requests);
    for (std::size_t i = 0; i < sessions.size(); ++i) sessions[i]->send(std::move(responses[i]));
    shared_.hooks.tick();
    if (!shared_.arrived.empty()) take_a_turn();
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

  // Soon when it costs little: somebody waits for the next line.
  void look_for_more() {
    const std::size_t streams = shared_.waiting.size();
    looks_.expires_after(streams > 0 && streams <= kFewStreams ? kLookSoon : kLookForMore);
    looks_.async_wait([this](error_code fault) {
      if (fault) return;
      to_look_at_ = std::exchange(shared_.waiting, {});
      look_at_some();
    });
  }

  // Some at a time: whoever asks for something meanwhile does not wait for thousands of streams.
  void look_at_some() {
    const int at_once = turn_is_due_ ? 0 : kStreamsAtOnce;
    for (int i = 0; i < at_once && !to_look_at_.empty(); ++i)
      to_look_at_.extract(to_look_at_.begin()).value()->go_on();
    if (to_look_at_.empty()) return look_for_more();
    asio::post(io_, [this] { look_at_some(); });
  }

  const ServerPlace& place_;
  asio::io_context io_{1};
  Shared shared_;
  Unix::acceptor acceptor_;
  asio::ssl::context tls_;
  Tcp::acceptor tls_acceptor_;
  Tcp::acceptor local_acceptor_;
  asio::signal_set signals_;
  asio::steady_timer ticks_;
  asio::steady_timer looks_;
  std::set<std::shared_ptr<Session>> to_look_at_;
  bool turn_is_due_ = false;
  int rounds_ = 0;
  int quiet_rounds_ = 0;
  std::pair<std::size_t, std::size_t> seen_;  // requests and connections
};

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

bool leaves_descriptors(int newest, int kept) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
         static_cast<rlim_t>(newest) + static_cast<rlim_t>(kept) < limit.rlim_cur;
}

Result<void> run_server(const ServerPlace& place, const ServerLimits& limits, const ServerHooks& hooks,
                        const std::function<void(const Ports&)>& on_ready) {
  raise_descriptor_limit();
  Server server(place, limits, hooks);
  on_ready(TRY(server.listen()));
  server.run();
  return {};
}

}  // namespace lockstep::service
