// A satellite: looks for the head until it answers, feeds it, and hands on what it says.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include "base/process/descriptor.h"
#include "base/result.h"
#include "run/multihost/link.h"
#include "run/multihost/messages.h"
#include "run/multihost/mirror.h"
#include "run/multihost/socket.h"

namespace lockstep::multihost {

// How far another host's clock is ahead of this one, measured by questions and answers.
class ClockLead {
 public:
  // We asked at `asked_ns`, it was `there_ns` there, and the answer came at `came_ns`. A quick answer tells
  // more than a slow one; a slow one counts when no quick one has come for long.
  void take(std::int64_t asked_ns, std::int64_t there_ns, std::int64_t came_ns) {
    const std::int64_t took = came_ns - asked_ns;
    if (took < 0) return;  // our own clock was set back meanwhile
    const bool is_better = !took_ns_ || took <= 2 * *took_ns_;
    const bool is_old = took_ns_ && came_ns - measured_ns_ > kOldNs;
    if (!is_better && !is_old) return;
    took_ns_ = took;
    measured_ns_ = came_ns;
    lead_ns_ = there_ns - (asked_ns + took / 2);
  }
  std::int64_t ns() const { return lead_ns_; }

 private:
  static constexpr std::int64_t kOldNs = 60'000'000'000;  // clocks drift by milliseconds in a minute

  std::optional<std::int64_t> took_ns_;
  std::int64_t measured_ns_ = 0;
  std::int64_t lead_ns_ = 0;
};

struct SatelliteOptions {
  std::filesystem::path recording;
  std::string host;  // this one's name
  std::string version;
  std::uint32_t index = 0;
  HostPort head;
  std::function<Result<std::string>()> token;  // asked before each attempt: it may come to be there
};

class Satellite final : public Link {
 public:
  explicit Satellite(SatelliteOptions options);
  ~Satellite() override;

  bool judges_here() const override { return !is_joined_; }
  std::optional<std::int64_t> known_until_ns() const override { return std::nullopt; }
  std::size_t other_hosts() const override { return is_joined_ ? 1 : 0; }
  void tell(const HeadNotice&) override {}
  void tell(const HeadVerdict&) override {}
  void forget(const std::string&) override {}
  void send_evidence() override { asked_.put(SendEvidence{}); }
  void finish(int status) override { asked_.put(Finish{status}); }
  bool is_finished() const override { return is_over_ || has_said_bye_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct SendEvidence {};
  struct Finish {
    int status = 0;
  };
  using Asked = std::variant<SendEvidence, Finish>;

  void work(const std::stop_token& stop);
  // True when the head has welcomed this satellite; false: another attempt makes sense.
  bool join(const std::stop_token& stop);
  bool wait_for_welcome(const std::stop_token& stop);
  void explain_refusal(const std::string& over);
  void serve(const std::stop_token& stop);
  void look_after_ranks();
  void use(const Message& message);
  void do_what_is_asked();
  void say_goodbye(int status);
  void wait(std::chrono::milliseconds time, bool wants_connection);
  void note_failed(std::string text, std::string hint);
  void note_silence(const std::string& why);
  void complain();
  void give_up(std::string text, std::string hint);

  SatelliteOptions options_;
  Mailbox<Asked> asked_;
  HostMirror mirror_;
  process::Descriptor connection_;
  std::optional<Conversation> conversation_;
  ClockLead clock_lead_;
  std::string head_host_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_look_{};
  std::chrono::milliseconds pause_{};
  std::optional<News> failure_;  // of the last attempt
  bool has_complained_ = false;
  bool head_has_ended_ = false;
  bool gives_up_ = false;
  std::optional<int> ends_with_;  // this host's part of the job is over
  std::atomic<bool> is_joined_ = false;
  std::atomic<bool> has_said_bye_ = false;
  std::atomic<bool> is_over_ = false;
  std::jthread worker_;
};

}  // namespace lockstep::multihost
