// The head: takes in what satellites tell, and tells them what it found.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <variant>

#include "base/process/descriptor.h"
#include "base/result.h"
#include "run/multihost/host_copy.h"
#include "run/multihost/link.h"
#include "run/multihost/messages.h"
#include "run/multihost/socket.h"

namespace lockstep::multihost {

struct HeadOptions {
  std::filesystem::path recording;
  std::string host;  // this one's name
  std::uint16_t port = 0;
  std::string token;
};

class Head final : public Link {
 public:
  // An error when somebody else has the port.
  static Result<std::unique_ptr<Head>> start(HeadOptions options);
  ~Head() override;

  bool judges_here() const override { return true; }
  std::optional<std::int64_t> known_until_ns() const override;
  std::size_t other_hosts() const override { return hosts_; }
  void tell(const HeadNotice& notice) override { asked_.put(notice); }
  void tell(const HeadVerdict& verdict) override { asked_.put(verdict); }
  void forget(const std::string& host) override { asked_.put(Forget{host}); }
  void send_evidence() override {}
  void finish(int) override {}
  bool is_finished() const override { return at_work_ == 0; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Forget {
    std::string host;
  };
  using Asked = std::variant<HeadNotice, HeadVerdict, Forget>;
  struct Satellite {
    process::Descriptor connection;
    std::string address;
    Conversation conversation;
    Clock::time_point since;  // it was last heard
    Clock::time_point answered{};
    std::string host{};  // empty until it has joined
    std::unique_ptr<HostCopy> copy{};
    std::int64_t as_of_ns = 0;  // on our clock
    bool has_said_bye = false;
    bool is_over = false;
  };

  Head(HeadOptions options, process::Descriptor listener);
  void work(const std::stop_token& stop);
  void wait();
  void accept_new();
  void make_room_for_stranger();
  void serve(Satellite& satellite);
  void use(Satellite& satellite, const Message& message);
  void join(Satellite& satellite, const Join& join);
  void welcome(Satellite& satellite, std::int64_t echoed_ns);
  void note_pulse(Satellite& satellite, const Pulse& pulse);
  void note_end(Satellite& satellite, const std::string& why);
  void expire();
  void do_what_is_asked();
  void send_to_all(const Message& message);
  void publish();
  void flush();
  void let_go();
  void say_refused(const Satellite& satellite);

  HeadOptions options_;
  process::Descriptor listener_;
  Mailbox<Asked> asked_;
  Clock::time_point accepts_again_{};
  std::list<Satellite> satellites_;
  std::list<std::pair<std::string, std::unique_ptr<HostCopy>>> lost_;
  std::set<std::string> labels_;
  std::set<std::string> refused_;  // whose trouble was said
  std::atomic<std::int64_t> known_until_ns_;
  std::atomic<std::size_t> hosts_ = 0;
  std::atomic<std::size_t> at_work_ = 0;  // satellites that have not said goodbye
  std::jthread worker_;
};

}  // namespace lockstep::multihost
