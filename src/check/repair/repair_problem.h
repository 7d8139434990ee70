// The questions that a repair answers and the conditions between them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/flows/job_hosts.h"
#include "check/repair/choice_problem.h"
#include "check/repair/patch.h"
#include "check/repair/situation.h"
#include "hostinfo/host_facts.h"

namespace lockstep::repair {

// An interface by which other hosts can be reached, with its first address as libraries take it.
struct UsableInterface {
  std::string name;
  base::Address address;
};

// By host: what carries the default route first, bridges of containers only where there is nothing else; none
// with an address that another host has too.
std::vector<std::vector<UsableInterface>> usable_interfaces(std::span<const hostinfo::HostFacts> hosts);

struct Answer {
  std::string words = {};
  std::vector<Edit> edits = {};  // none: as it is
};

class RepairProblem {
 public:
  RepairProblem(const Situation& situation, const Judged& judged);

  const Situation& situation() const { return situation_; }
  const Judged& judged() const { return judged_; }
  const flows::JobHosts& hosts() const { return hosts_; }
  const std::vector<config::LaunchConfig>& launches() const { return judged_.configuration.launches; }
  ChoiceProblem& choices() { return choices_; }

  // The first answer leaves things as they are. Gives the literals of the answers.
  std::vector<Literal> ask(std::vector<Answer> answers);
  // Where these rules found something, the answer must be given; nothing mends it where that changes nothing.
  void ask_one_change(std::string_view rules, Answer answer, std::optional<std::size_t> host = std::nullopt);
  // Those that lead to other hosts first; none with an address that another host has too.
  const std::vector<UsableInterface>& usable(std::size_t host) const { return usable_[host]; }
  // That the firewall of a host, which has one, is opened to the job.
  Literal opened(std::size_t host) const { return opened_[host]; }

  // The rules with these ids ("N14 N15") found something: the words for it; empty when they did not.
  std::string found_by(std::string_view ids, std::optional<std::size_t> host = std::nullopt);
  // Hits that no question took up.
  std::vector<const rules::Hit*> unanswered() const;

  std::vector<Edit> edits_of(const Solution& solution) const;
  // That just these answers are not given together.
  void rule_out(const Solution& solution, const std::string& why);

 private:
  long cost_of(const Answer& answer) const;

  const Situation& situation_;
  const Judged& judged_;
  flows::JobHosts hosts_;
  ChoiceProblem choices_;
  std::vector<std::vector<Answer>> questions_;
  std::vector<std::vector<Literal>> literals_;
  std::vector<Literal> opened_;
  std::vector<std::vector<UsableInterface>> usable_;  // by host
  std::vector<const rules::Hit*> taken_;
};

}  // namespace lockstep::repair
