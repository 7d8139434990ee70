#include "run/multihost/satellite.h"

#include <algorithm>
#include <poll.h>
#include <utility>

#include <fmt/format.h>

#include "run/watch/live_job.h"

namespace lockstep::multihost {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds kInterval = 100ms;       // between looks, as a watcher of one host has it
constexpr milliseconds kIntervalAlone = 500ms;  // between looks that go nowhere
constexpr auto kConnectTime = 5s;               // for connection, greeting and welcome
constexpr auto kSatelliteSilence = 30s;         // then the head is lost; it answers every five seconds
constexpr auto kComplainsAfter = 30s;           // hosts of a job do not all start at once
constexpr milliseconds kFirstPause = 200ms;     // between attempts, doubled each time
constexpr milliseconds kMaxPause = 5s;
constexpr std::size_t kSatelliteMaxUnsentBytes = 1u << 20;  // the record files are the queue, not memory

}  // namespace

Satellite::Satellite(SatelliteOptions options) : options_(std::move(options)), mirror_(options_.recording) {
  worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

Satellite::~Satellite() {
  worker_.request_stop();
  asked_.put(SendEvidence{});
  worker_.join();
}

void Satellite::work(const std::stop_token& stop) {
  pause_ = kFirstPause;
  while (!stop.stop_requested() && !gives_up_ && !ends_with_) {
    if (join(stop)) {
      serve(stop);
      break;
    }
    const auto until = Clock::now() + pause_;
    while (Clock::now() < until && !stop.stop_requested() && !ends_with_) {
      if (Clock::now() >= next_look_) {
        mirror_.look();
        next_look_ = Clock::now() + kIntervalAlone;
      }
      wait(std::min(pause_, kIntervalAlone), false);
      do_what_is_asked();
    }
    pause_ = std::min(2 * pause_, kMaxPause);
  }
  if (ends_with_ && head_host_.empty()) complain();
  is_joined_ = false;
  is_over_ = true;
  news_.put({.kind = News::Kind::kFinished, .host = {}, .text = {}, .hint = {}, .ranks = {}});
}

// A head that does not answer may only just be starting.
void Satellite::note_failed(std::string text, std::string hint) {
  failure_ = {.kind = News::Kind::kTrouble,
              .host = options_.head.host,
              .text = std::move(text),
              .hint = std::move(hint),
              .ranks = {}};
  if (Clock::now() - began_ >= kComplainsAfter) complain();
}

void Satellite::note_silence(const std::string& why) {
  note_failed(fmt::format("the head of the job's watchers, {} port {}, does not answer: {}",
                          options_.head.host, options_.head.port, why),
              "this host is watched alone; --head HOST:PORT says where the head is");
}

void Satellite::complain() {
  if (!failure_ || std::exchange(has_complained_, true)) return;
  news_.put(*failure_);
}

void Satellite::give_up(std::string text, std::string hint) {
  gives_up_ = true;
  has_complained_ = true;
  news_.put({.kind = News::Kind::kTrouble,
             .host = options_.head.host,
             .text = std::move(text),
             .hint = std::move(hint),
             .ranks = {}});
}

bool Satellite::join(const std::stop_token& stop) {
  auto token = options_.token();
  if (!token.ok()) {
    const Error& error = token.error();
    note_failed(
        fmt::format("no token to join the head, {}: {}: {}", options_.head.host, error.where, error.why),
        fmt::format("this host is watched alone; copy the head's once: scp {}:.config/lockstep/token "
                    "~/.config/lockstep/",
                    options_.head.host));
    return false;
  }
  const auto nonce = random_nonce();
  auto connection = begin_connecting(options_.head);
  if (!connection.ok() || !nonce) {
    note_silence(connection.ok() ? "there is no randomness" : connection.error().why);
    return false;
  }
  connection_ = std::move(connection).value();
  conversation_.emplace(Side::kSatellite, std::move(token).value(), *nonce);
  if (wait_for_welcome(stop)) return true;
  connection_.close();
  return false;
}

bool Satellite::wait_for_welcome(const std::stop_token& stop) {
  const auto until = Clock::now() + kConnectTime;
  bool has_joined = false;
  while (!stop.stop_requested() && !ends_with_ && Clock::now() < until) {
    wait(kInterval, true);
    do_what_is_asked();
    const std::string over = exchange(connection_.get(), *conversation_);
    while (const auto message = conversation_->next()) use(*message);
    if (is_joined_) return true;
    if (!over.empty() || conversation_->trouble() != Trouble::kNone) {
      if (conversation_->can_send() || conversation_->trouble() != Trouble::kNone) {
        explain_refusal(over);
      } else {
        note_silence(over);
      }
      return false;
    }
    if (conversation_->can_send() && !std::exchange(has_joined, true)) {
      conversation_->send(Join{.host = options_.host,
                               .version = options_.version,
                               .index = options_.index,
                               .sent_ns = watch::wall_clock_ns()});
    }
  }
  note_silence("it takes too long");
  return false;
}

// The head closes the connection without a word to who has not proved itself.
void Satellite::explain_refusal(const std::string& over) {
  const std::string head = fmt::format("{} port {}", options_.head.host, options_.head.port);
  switch (conversation_->trouble()) {
    case Trouble::kNotLockstep:
      return give_up(fmt::format("something else than lockstep answers at {}", head),
                     "this host is watched alone; give all hosts another place with --head HOST:PORT");
    case Trouble::kOtherVersion:
      return give_up(fmt::format("the head at {} is of another version (protocol {}, here {})", head,
                                 conversation_->other_version(), kProtocolVersion),
                     "this host is watched alone; install the same lockstep on all hosts");
    case Trouble::kOtherToken:
    case Trouble::kNone:
      return give_up(
          fmt::format("the head at {} has another token and refused this host", head),
          "this host is watched alone; give all hosts the same token: LOCKSTEP_TOKEN, --token-file "
          "or ~/.config/lockstep/token");
    case Trouble::kBroken:
      return give_up(fmt::format("what the head at {} says makes no sense {}", head, over),
                     "this host is watched alone");
  }
}

void Satellite::serve(const std::stop_token& stop) {
  auto heard = Clock::now();
  std::string over;
  while (!stop.stop_requested()) {
    do_what_is_asked();
    if (!has_said_bye_ && Clock::now() >= next_look_) look_after_ranks();
    if (ends_with_ && !has_said_bye_) say_goodbye(*ends_with_);
    over = exchange(connection_.get(), *conversation_);
    while (const auto message = conversation_->next()) {
      heard = Clock::now();
      use(*message);
    }
    if (conversation_->trouble() != Trouble::kNone) over = "what it sends makes no sense";
    if (over.empty() && Clock::now() - heard > kSatelliteSilence) {
      over = fmt::format("nothing was heard of it for {} s", kSatelliteSilence.count());
    }
    if (!over.empty()) break;
    const auto left = std::chrono::ceil<milliseconds>(next_look_ - Clock::now());
    wait(std::clamp<milliseconds>(left, 0ms, kInterval), true);
  }
  is_joined_ = false;
  if (over.empty() || ends_with_ || head_has_ended_) return;
  news_.put({.kind = News::Kind::kLost, .host = head_host_, .text = over, .hint = {}, .ranks = {}});
}

void Satellite::look_after_ranks() {
  next_look_ = Clock::now() + kInterval;
  mirror_.look();
  const std::size_t waiting = conversation_->unsent().size();
  if (waiting < kSatelliteMaxUnsentBytes) {
    mirror_.hand_on(kSatelliteMaxUnsentBytes - waiting,
                    [this](const Message& message) { conversation_->send(message); });
  }
  Pulse pulse = mirror_.pulse();
  pulse.clock_lead_ns = clock_lead_.ns();
  if (waiting < kSatelliteMaxUnsentBytes) conversation_->send(pulse);
}

void Satellite::use(const Message& message) {
  if (const auto* welcome = std::get_if<Welcome>(&message)) {
    clock_lead_.take(welcome->echoed_ns, welcome->head_ns, watch::wall_clock_ns());
    if (is_joined_.exchange(true)) return;
    head_host_ = welcome->host;
    news_.put({.kind = News::Kind::kJoined, .host = head_host_, .text = {}, .hint = {}, .ranks = {}});
  }
  if (const auto* notice = std::get_if<HeadNotice>(&message)) {
    news_.put({.kind = News::Kind::kNotice,
               .host = head_host_,
               .text = {},
               .hint = {},
               .ranks = {},
               .notice = *notice});
  }
  if (const auto* verdict = std::get_if<HeadVerdict>(&message)) {
    head_has_ended_ = true;
    news_.put({.kind = News::Kind::kVerdict,
               .host = head_host_,
               .text = {},
               .hint = {},
               .ranks = {},
               .notice = {},
               .verdict = *verdict});
  }
}

void Satellite::do_what_is_asked() {
  for (const Asked& asked : asked_.take_all()) {
    if (const auto* finish = std::get_if<Finish>(&asked)) ends_with_ = finish->status;
    if (!std::holds_alternative<SendEvidence>(asked) || !is_joined_) continue;
    for (const EvidenceFile& evidence : mirror_.evidence()) conversation_->send(evidence);
  }
}

// After a last look, once everything is handed on.
void Satellite::say_goodbye(int status) {
  look_after_ranks();
  if (conversation_->unsent().size() >= kSatelliteMaxUnsentBytes) return;
  if (status != 0) {
    for (const Output& output : mirror_.output()) conversation_->send(output);
  }
  conversation_->send(Bye{.status = status});
  exchange(connection_.get(), *conversation_);
  has_said_bye_ = true;
  news_.put({.kind = News::Kind::kFinished, .host = {}, .text = {}, .hint = {}, .ranks = {}});
}

void Satellite::wait(milliseconds time, bool wants_connection) {
  pollfd watched[] = {{.fd = asked_.fd(), .events = POLLIN, .revents = 0},
                      {.fd = connection_.get(), .events = POLLIN, .revents = 0}};
  if (wants_connection && conversation_ && !conversation_->unsent().empty()) watched[1].events |= POLLOUT;
  ::poll(watched, wants_connection ? 2 : 1, static_cast<int>(time.count()));
}

}  // namespace lockstep::multihost
