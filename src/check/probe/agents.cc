#include "check/probe/agents.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <future>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>

#include <fmt/format.h>

#include "base/check.h"
#include "base/process/environment.h"
#include "base/process/spawn.h"
#include "base/text_fields.h"
#include "hostinfo/collect/program.h"
#include "run/multihost/sealed_stream.h"
#include "run/multihost/socket.h"

namespace lockstep::probe {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kCopiesAtOnce = 32;
constexpr std::size_t kMaxKnocking = 64;   // connections that have not proved themselves
constexpr milliseconds kAcceptPause{500};  // when no descriptor is left: the listener would wake us at once
constexpr std::chrono::seconds kProofTimeout{10};
constexpr std::chrono::seconds kGoodbyeTimeout{2};
constexpr milliseconds kMaxWait{500};
constexpr milliseconds kLookAgain{5};

// Some launchers begin with a line of dashes.
std::string_view first_line_with_words(std::string_view text) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  while (!text.empty()) {
    const std::string_view line = base::word_of(text, '\n');
    if (std::ranges::any_of(line, is_letter)) return base::trimmed(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

// Copies this program there, where that is asked for.
std::string prepare(const hostinfo::RemoteRequest& request, const std::string& host,
                    const std::string& binary) {
  const auto commands = hostinfo::commands_for(request, host, binary);
  for (std::size_t at = 0; at + 1 < commands.size(); ++at) {
    const hostinfo::Answer answer = hostinfo::ask(commands[at], request.time);
    if (answer.ok()) continue;
    if (at > 0) hostinfo::take_back(request, host);
    return answer.why_not;
  }
  return "";
}

}  // namespace

std::string fresh_token() {
  const auto random = multihost::random_nonce();
  CHECK(random.has_value(), "the kernel gives no random bytes");
  std::string token;
  for (const std::uint8_t byte : *random) token += fmt::format("{:02x}", byte);
  return token;
}

Agents::~Agents() {
  for (const auto& agent : agents_)
    if (!agent->link->is_over()) agent->link->send(Bye{});
  const auto all_gone = [&] {
    return std::ranges::all_of(agents_, [](const auto& agent) { return agent->link->is_over(); });
  };
  attend([](std::size_t, const Message&) {}, all_gone, Clock::now() + kGoodbyeTimeout);
  for (const auto& agent : agents_) end_command(*agent);
}

void Agents::start(const hostinfo::RemoteRequest& request) {
  const std::string binary = hostinfo::own_binary();
  std::vector<std::string> faults(request.hosts.size());
  const bool is_sent = !request.sent_to.empty();
  for (std::size_t begin = 0; is_sent && begin < faults.size(); begin += kCopiesAtOnce) {
    std::vector<std::future<std::string>> copies;
    for (std::size_t at = begin; at < std::min(faults.size(), begin + kCopiesAtOnce); ++at)
      copies.push_back(std::async(std::launch::async,
                                  [&, host = request.hosts[at]] { return prepare(request, host, binary); }));
    for (std::size_t at = 0; at < copies.size(); ++at) faults[begin + at] = copies[at].get();
  }
  for (std::size_t at = 0; at < faults.size(); ++at) {
    if (faults[at].empty()) {
      agents_.push_back(started_on(request, request.hosts[at]));
    } else {
      auto failed = std::make_unique<Agent>(Agent{.asked_as = request.hosts[at], .link = nullptr});
      failed->link = std::make_unique<ControlLink>(multihost::Side::kHead, token_, process::Descriptor(),
                                                   process::Descriptor());
      failed->why_not = faults[at];
      failed->link->exchange();
      agents_.push_back(std::move(failed));
    }
  }
}

void Agents::start_again(const hostinfo::RemoteRequest& request) {
  for (auto& agent : agents_) {
    if (agent->has_spoken || !agent->link->is_over() || agent->pid == 0) continue;
    end_command(*agent);
    agent = started_on(request, agent->asked_as);
  }
}

std::unique_ptr<Agents::Agent> Agents::started_on(const hostinfo::RemoteRequest& request,
                                                  const std::string& host) const {
  auto agent = std::make_unique<Agent>(Agent{.asked_as = host, .link = nullptr});
  auto started = process::spawn({.argv = hostinfo::commands_for(request, host, hostinfo::own_binary()).back(),
                                 .environment = process::own_environment(),
                                 .is_talked_to = true});
  process::Descriptor in;
  process::Descriptor out;
  if (started.ok()) {
    process::Spawned& command = started.value();
    agent->pid = command.pid;
    agent->err = std::move(command.err);
    in = std::move(command.out);
    out = std::move(command.in);
    const std::string line = token_ + "\n";
    // A pipe takes so little at once; a command that has ended already is noticed when it is read from.
    [[maybe_unused]] const ssize_t ignored = ::write(out.get(), line.data(), line.size());
  } else {
    agent->why_not = started.error().why;
  }
  agent->link = std::make_unique<ControlLink>(multihost::Side::kHead, token_, std::move(in), std::move(out));
  agent->link->skip_what_others_print();
  if (!started.ok()) agent->link->exchange();
  return agent;
}

Result<std::uint16_t> Agents::listen(std::uint16_t port) {
  auto listener = multihost::listen_on(port);
  if (!listener.ok())
    return Error{"cannot listen for agents", fmt::format("port {}", port), listener.error().why,
                 "give another port with --listen"};
  listener_ = std::move(listener).value();
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&own), &size);
  return ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&own)->sin6_port
                                         : reinterpret_cast<sockaddr_in*>(&own)->sin_port);
}

std::string Agents::trouble(std::size_t at) const {
  const Agent& agent = *agents_[at];
  if (!agent.why_not.empty()) return agent.why_not;
  char said[2048];
  const ssize_t count = agent.err.is_open() ? ::read(agent.err.get(), said, sizeof said) : 0;
  const std::string_view text(said, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (const std::string_view line = first_line_with_words(text); !line.empty()) return std::string(line);
  return agent.link->is_over() ? agent.link->why_over() : "it did not answer in time";
}

bool Agents::attend(const OnMessage& on_message, const std::function<bool()>& is_done,
                    Clock::time_point deadline) {
  std::vector<pollfd> polled;
  while (!is_done()) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (left <= milliseconds(0)) return false;
    polled.clear();
    if (takes_knocks()) polled.push_back({.fd = listener_.get(), .events = POLLIN, .revents = 0});
    for (const Knocking& one : knocking_) one.link.add_to(polled);
    std::vector<std::size_t> places;
    for (const auto& agent : agents_) {
      places.push_back(polled.size());
      if (!agent->link->is_over()) agent->link->add_to(polled);
    }
    places.push_back(polled.size());
    ::poll(polled.data(), polled.size(), static_cast<int>(std::min(left, kMaxWait).count()));
    for (std::size_t at = 0; at + 1 < places.size(); ++at) {
      const auto is_ready = [&](std::size_t place) { return polled[place].revents != 0; };
      const bool has_some =
          places[at] < places[at + 1] && (is_ready(places[at]) || is_ready(places[at + 1] - 1));
      if (has_some || agents_[at]->link->has_unsent()) agents_[at]->link->exchange();
    }
    accept_new();
    look_at_knocking();
    use_messages(on_message);
  }
  return true;
}

// An agent proves itself with its first words. Whoever says nothing gives way to those who come later: a
// crowd of silent connections keeps no agent out.
void Agents::accept_new() {
  for (std::size_t taken = 0; takes_knocks() && taken < kMaxKnocking; ++taken) {
    multihost::Accepted accepted = multihost::accept_from(listener_.get());
    process::Descriptor out(
        accepted.connection.is_open() ? ::fcntl(accepted.connection.get(), F_DUPFD_CLOEXEC, 0) : -1);
    if (!out.is_open()) {
      const bool nobody_waits = !accepted.connection.is_open() && errno == EAGAIN;
      if (!nobody_waits) accepts_again_ = Clock::now() + kAcceptPause;
      return;
    }
    if (knocking_.size() >= kMaxKnocking) knocking_.pop_front();
    knocking_.push_back(
        {ControlLink(multihost::Side::kHead, token_, std::move(accepted.connection), std::move(out)),
         Clock::now()});
  }
}

bool Agents::takes_knocks() const {
  return listener_.is_open() && Clock::now() >= accepts_again_;
}

void Agents::look_at_knocking() {
  for (auto one = knocking_.begin(); one != knocking_.end();) {
    one->link.exchange();
    const auto message = one->link.next();
    const auto* hello = message ? std::get_if<Hello>(&*message) : nullptr;
    const bool is_known = hello != nullptr && std::ranges::any_of(agents_, [&](const auto& agent) {
                            return agent->host == hello->host && !agent->link->is_over();
                          });
    const bool goes = hello != nullptr || one->link.is_over() || Clock::now() - one->since > kProofTimeout;
    if (hello != nullptr && !is_known) {
      auto agent = std::make_unique<Agent>(
          Agent{.asked_as = "", .host = hello->host, .has_spoken = true, .link = nullptr});
      agent->link = std::make_unique<ControlLink>(std::move(one->link));
      agents_.push_back(std::move(agent));
    }
    one = goes ? knocking_.erase(one) : std::next(one);
  }
}

void Agents::use_messages(const OnMessage& on_message) {
  for (std::size_t at = 0; at < agents_.size(); ++at) {
    while (const auto message = agents_[at]->link->next()) {
      if (const auto* hello = std::get_if<Hello>(&*message)) {
        agents_[at]->host = hello->host;
        agents_[at]->has_spoken = true;
      } else {
        on_message(at, *message);
      }
    }
  }
}

// It ends by itself when the agent has ended; if not, the agent ends with it.
void Agents::end_command(Agent& agent) {
  if (agent.pid == 0) return;
  agent.link.reset();
  const auto deadline = Clock::now() + kGoodbyeTimeout;
  while (::waitpid(agent.pid, nullptr, WNOHANG) == 0) {
    if (Clock::now() > deadline) ::kill(-agent.pid, SIGKILL);
    std::this_thread::sleep_for(kLookAgain);
  }
}

}  // namespace lockstep::probe
