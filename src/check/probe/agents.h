// The agents of all hosts, seen by the one who probes: started through a launcher or by hand, spoken to, and
// ended with this object.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/process/descriptor.h"
#include "base/result.h"
#include "check/probe/control_link.h"
#include "hostinfo/remote.h"

namespace lockstep::probe {

// 32 bytes from the kernel, in letters and digits.
std::string fresh_token();

class Agents {
 public:
  using Clock = std::chrono::steady_clock;
  using OnMessage = std::function<void(std::size_t agent, const Message& message)>;

  explicit Agents(std::string token) : token_(std::move(token)) {}
  Agents(const Agents&) = delete;
  Agents& operator=(const Agents&) = delete;
  ~Agents();

  // One on each host of the request, whose verb is that of agents.
  void start(const hostinfo::RemoteRequest& request);
  // Those that ended before they spoke.
  void start_again(const hostinfo::RemoteRequest& request);
  // For those that are started by hand. Gives the port.
  Result<std::uint16_t> listen(std::uint16_t port);

  std::size_t size() const { return agents_.size(); }
  bool has_spoken(std::size_t agent) const { return agents_[agent]->has_spoken; }
  bool is_gone(std::size_t agent) const { return agents_[agent]->link->is_over(); }
  // As the host calls itself, and as it was asked for; empty: by hand.
  const std::string& host(std::size_t agent) const { return agents_[agent]->host; }
  const std::string& asked_as(std::size_t agent) const { return agents_[agent]->asked_as; }
  // Of one that is gone, or has not spoken.
  std::string trouble(std::size_t agent) const;

  void send(std::size_t agent, const Message& message) { agents_[agent]->link->send(message); }
  // Until `is_done` or the deadline. False: the deadline came first.
  bool attend(const OnMessage& on_message, const std::function<bool()>& is_done, Clock::time_point deadline);

 private:
  struct Agent {
    std::string asked_as;
    std::string host = {};
    bool has_spoken = false;
    std::unique_ptr<ControlLink> link;
    pid_t pid = 0;  // of the command that started it
    process::Descriptor err = {};
    std::string why_not = {};  // it could not be started
  };
  struct Knocking {
    ControlLink link;
    Clock::time_point since;
  };

  std::unique_ptr<Agent> started_on(const hostinfo::RemoteRequest& request, const std::string& host) const;
  bool takes_knocks() const;
  void accept_new();
  void look_at_knocking();
  void use_messages(const OnMessage& on_message);
  void end_command(Agent& agent);

  std::string token_;
  process::Descriptor listener_;
  std::list<Knocking> knocking_;  // in the order of their coming
  Clock::time_point accepts_again_{};
  std::vector<std::unique_ptr<Agent>> agents_;
};

}  // namespace lockstep::probe
