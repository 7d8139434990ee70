#include "run/multihost/head.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

#include <fmt/format.h>

#include "run/watch/live_job.h"

namespace lockstep::multihost {
namespace {

using namespace std::chrono_literals;

// A satellite speaks ten times a second.
constexpr auto kGreetingTime = 10s;        // a connection that has not joined by then is dropped
constexpr auto kHeadSilence = 15s;         // without a word, or so far behind: the satellite is lost
constexpr auto kWelcomeInterval = 5s;      // clocks are compared again with each answer
constexpr auto kFlushTime = 2s;            // at the end, for satellites that still read
constexpr auto kLetGoTime = 1s;            // for them to close their side first
constexpr auto kAcceptPause = 500ms;       // when no descriptor is left: the listener would wake us at once
constexpr std::size_t kMaxStrangers = 64;  // connections that have not proved themselves
constexpr std::size_t kHeadMaxUnsentBytes = 8u << 20;  // to a satellite that does not read
constexpr std::int64_t kNobody = std::numeric_limits<std::int64_t>::max();

}  // namespace

Result<std::unique_ptr<Head>> Head::start(HeadOptions options) {
  process::Descriptor listener = TRY(listen_on(options.port));
  return std::unique_ptr<Head>(new Head(std::move(options), std::move(listener)));
}

Head::Head(HeadOptions options, process::Descriptor listener)
    : options_(std::move(options)), listener_(std::move(listener)), known_until_ns_(kNobody) {
  labels_.insert(in_a_file_name(options_.host));
  worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

Head::~Head() {
  worker_.request_stop();
  asked_.put(Forget{});
  worker_.join();
}

std::optional<std::int64_t> Head::known_until_ns() const {
  const std::int64_t known = known_until_ns_;
  return known == kNobody ? std::nullopt : std::optional(known);
}

void Head::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    wait();
    accept_new();
    for (Satellite& satellite : satellites_) serve(satellite);
    do_what_is_asked();
    expire();
    std::erase_if(satellites_, [](const Satellite& satellite) { return satellite.is_over; });
    publish();
  }
  flush();
}

void Head::wait() {
  std::vector<pollfd> watched = {
      {.fd = asked_.fd(), .events = POLLIN, .revents = 0},
      {.fd = Clock::now() < accepts_again_ ? -1 : listener_.get(), .events = POLLIN, .revents = 0}};
  for (const Satellite& satellite : satellites_) {
    const bool writes = !satellite.conversation.unsent().empty();
    watched.push_back({.fd = satellite.connection.get(),
                       .events = static_cast<short>(POLLIN | (writes ? POLLOUT : 0)),
                       .revents = 0});
  }
  ::poll(watched.data(), watched.size(), 500);
}

void Head::accept_new() {
  if (Clock::now() < accepts_again_) return;
  for (std::size_t taken = 0; taken < kMaxStrangers; ++taken) {  // others have their turn too
    Accepted accepted = accept_from(listener_.get());
    const bool nobody_waits = !accepted.connection.is_open() && errno == EAGAIN;
    const auto nonce = random_nonce();
    if (!nobody_waits && (!accepted.connection.is_open() || !nonce))
      accepts_again_ = Clock::now() + kAcceptPause;
    if (!accepted.connection.is_open() || !nonce) return;
    make_room_for_stranger();
    satellites_.push_back({.connection = std::move(accepted.connection),
                           .address = std::move(accepted.address),
                           .conversation = Conversation(Side::kHead, options_.token, *nonce),
                           .since = Clock::now()});
  }
}

// A watcher proves itself with its first words. Whoever says nothing gives way to those who come later: a
// crowd of silent connections, as of a port scanner, keeps no satellite out.
void Head::make_room_for_stranger() {
  const auto is_stranger = [](const Satellite& satellite) { return satellite.host.empty(); };
  if (static_cast<std::size_t>(std::ranges::count_if(satellites_, is_stranger)) < kMaxStrangers) return;
  satellites_.erase(
      std::ranges::find_if(satellites_, is_stranger));  // they stand in the order of their coming
}

void Head::serve(Satellite& satellite) {
  std::string over = exchange(satellite.connection.get(), satellite.conversation);
  while (const auto message = satellite.conversation.next()) {
    satellite.since = Clock::now();
    use(satellite, *message);
    if (satellite.is_over) return;
  }
  if (over.empty()) over = exchange(satellite.connection.get(), satellite.conversation);
  const Trouble trouble = satellite.conversation.trouble();
  if (trouble != Trouble::kNone && satellite.host.empty()) say_refused(satellite);
  if (trouble != Trouble::kNone) over = "what it sends makes no sense";
  if (!over.empty()) note_end(satellite, over);
}

// Who is no watcher of any job, a port scanner for example, is not worth a word.
void Head::say_refused(const Satellite& satellite) {
  const Trouble trouble = satellite.conversation.trouble();
  if (trouble == Trouble::kNotLockstep || !refused_.insert(satellite.address).second) return;
  News news{.kind = News::Kind::kTrouble, .host = satellite.address, .text = {}, .hint = {}, .ranks = {}};
  if (trouble == Trouble::kOtherVersion) {
    news.text = fmt::format("the watcher at {} is of another version (protocol {}, here {})",
                            satellite.address, satellite.conversation.other_version(), kProtocolVersion);
    news.hint = "install the same lockstep on all hosts";
  } else {
    news.text = fmt::format("the watcher at {} was refused: it has another token", satellite.address);
    news.hint = "give all hosts the same token: LOCKSTEP_TOKEN, --token-file or ~/.config/lockstep/token";
  }
  news_.put(std::move(news));
}

void Head::use(Satellite& satellite, const Message& message) {
  if (satellite.host.empty()) {
    const Join* received = std::get_if<Join>(&message);
    if (received == nullptr) return note_end(satellite, "it does not say who it is");
    return join(satellite, *received);
  }
  Result<void> kept;
  if (const auto* file = std::get_if<RankFile>(&message)) kept = satellite.copy->keep(*file);
  if (const auto* bytes = std::get_if<RecordBytes>(&message)) kept = satellite.copy->keep(*bytes);
  if (const auto* pulse = std::get_if<Pulse>(&message)) note_pulse(satellite, *pulse);
  if (const auto* output = std::get_if<Output>(&message)) kept = satellite.copy->keep(*output);
  if (const auto* evidence = std::get_if<EvidenceFile>(&message)) {
    kept = satellite.copy->keep(*evidence);
    news_.put({.kind = News::Kind::kEvidence, .host = satellite.host, .text = {}, .hint = {}, .ranks = {}});
  }
  if (std::holds_alternative<Bye>(message)) {
    satellite.has_said_bye = true;
    news_.put({.kind = News::Kind::kFinished, .host = satellite.host, .text = {}, .hint = {}, .ranks = {}});
  }
  if (!kept.ok()) note_end(satellite, kept.error().why);
}

void Head::join(Satellite& satellite, const Join& received) {
  std::string label = in_a_file_name(received.host);
  if (!labels_.insert(label).second) {
    label += fmt::format("-{}", received.index);
    for (int i = 2; !labels_.insert(label).second; ++i)
      label = fmt::format("{}-{}", in_a_file_name(received.host), i);
  }
  satellite.host = label;
  satellite.copy = std::make_unique<HostCopy>(options_.recording, label);
  satellite.as_of_ns = watch::wall_clock_ns();
  ++hosts_;
  welcome(satellite, received.sent_ns);
  news_.put({.kind = News::Kind::kJoined, .host = label, .text = {}, .hint = {}, .ranks = {}});
}

void Head::welcome(Satellite& satellite, std::int64_t echoed_ns) {
  satellite.answered = Clock::now();
  satellite.conversation.send(
      Welcome{.host = options_.host, .echoed_ns = echoed_ns, .head_ns = watch::wall_clock_ns()});
}

void Head::note_pulse(Satellite& satellite, const Pulse& pulse) {
  satellite.copy->keep(pulse);
  satellite.as_of_ns = std::max(satellite.as_of_ns, pulse.as_of_ns + pulse.clock_lead_ns);
  if (Clock::now() - satellite.answered >= kWelcomeInterval) welcome(satellite, pulse.sent_ns);
}

void Head::note_end(Satellite& satellite, const std::string& why) {
  satellite.is_over = true;
  if (satellite.host.empty()) return;
  satellite.copy->lose_sight();
  if (satellite.has_said_bye) return;
  --hosts_;
  news_.put({.kind = News::Kind::kLost,
             .host = satellite.host,
             .text = why,
             .hint = {},
             .ranks = satellite.copy->ranks()});
  lost_.emplace_back(satellite.host, std::move(satellite.copy));
}

// One that sends but does not keep up would let its ranks seem late: it counts as lost too.
void Head::expire() {
  const std::int64_t now_ns = watch::wall_clock_ns();
  constexpr std::int64_t kSilenceNs = std::chrono::nanoseconds(kHeadSilence).count();
  for (Satellite& satellite : satellites_) {
    if (satellite.is_over) continue;
    const auto heard_before = Clock::now() - satellite.since;
    if (satellite.host.empty()) {
      if (heard_before > kGreetingTime) satellite.is_over = true;
      continue;
    }
    if (satellite.conversation.unsent().size() > kHeadMaxUnsentBytes)
      note_end(satellite, "it does not listen");
    if (satellite.is_over || satellite.has_said_bye) continue;
    if (heard_before > kHeadSilence) {
      note_end(satellite, fmt::format("nothing was heard of it for {} s", kHeadSilence.count()));
    } else if (now_ns - satellite.as_of_ns > kSilenceNs) {
      note_end(satellite, fmt::format("the connection is too slow: it is {} s behind", kHeadSilence.count()));
    }
  }
}

void Head::do_what_is_asked() {
  for (const Asked& asked : asked_.take_all()) {
    if (const auto* notice = std::get_if<HeadNotice>(&asked)) send_to_all(*notice);
    if (const auto* verdict = std::get_if<HeadVerdict>(&asked)) send_to_all(*verdict);
    if (const auto* forget = std::get_if<Forget>(&asked)) {
      for (auto& [host, copy] : lost_) {
        if (host == forget->host) copy->remove();
      }
    }
  }
}

void Head::send_to_all(const Message& message) {
  for (Satellite& satellite : satellites_) {
    if (satellite.is_over || satellite.host.empty()) continue;
    satellite.conversation.send(message);
    const std::string over = exchange(satellite.connection.get(), satellite.conversation);
    if (!over.empty()) note_end(satellite, over);
  }
}

void Head::publish() {
  std::int64_t known = kNobody;
  std::size_t at_work = 0;
  for (const Satellite& satellite : satellites_) {
    if (satellite.host.empty() || satellite.has_said_bye) continue;
    known = std::min(known, satellite.as_of_ns);
    ++at_work;
  }
  known_until_ns_ = known;
  at_work_ = at_work;
}

void Head::flush() {
  do_what_is_asked();
  const auto until = Clock::now() + kFlushTime;
  const auto has_unsent = [](const Satellite& satellite) {
    return !satellite.is_over && !satellite.host.empty() && !satellite.conversation.unsent().empty();
  };
  while (Clock::now() < until && std::ranges::any_of(satellites_, has_unsent)) {
    for (Satellite& satellite : satellites_) {
      if (!has_unsent(satellite)) continue;
      if (!exchange(satellite.connection.get(), satellite.conversation).empty()) satellite.is_over = true;
      pollfd writes{.fd = satellite.connection.get(), .events = POLLOUT, .revents = 0};
      ::poll(&writes, 1, 20);
    }
  }
  let_go();
}

// A connection that is closed with bytes unread takes back what was sent last.
void Head::let_go() {
  for (const Satellite& satellite : satellites_) ::shutdown(satellite.connection.get(), SHUT_WR);
  const auto until = Clock::now() + kLetGoTime;
  while (Clock::now() < until && !satellites_.empty()) {
    std::erase_if(satellites_, [](Satellite& satellite) {
      pollfd reads{.fd = satellite.connection.get(), .events = POLLIN, .revents = 0};
      ::poll(&reads, 1, 10);
      const bool is_closed = !exchange(satellite.connection.get(), satellite.conversation).empty();
      while (satellite.conversation.next()) {
      }
      return is_closed;
    });
  }
}

}  // namespace lockstep::multihost
