#include "check/probe_session.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/net/address.h"
#include "check/flows/judge_flows.h"

namespace lockstep::check {
namespace {

using config::Fields;
namespace fs = std::filesystem;
using config::Configuration;

constexpr std::chrono::seconds kFactsTimeout{120};

std::vector<std::string> host_list_of(const Configuration& configuration) {
  std::vector<std::string> names;
  for (const config::LaunchConfig& launch : configuration.launches)
    for (std::size_t at = 0; at < launch.count(Fields::kHostList); ++at)
      names.push_back(launch.text(Fields::host_name(at)));
  return names;
}

// Names that the ranks will look up.
std::vector<std::string> names_to_resolve(const Configuration& configuration,
                                          const std::vector<std::string>& hosts) {
  std::set<std::string> names;
  for (const auto& list : {hosts, host_list_of(configuration)})
    for (const std::string& host : list)
      if (host.find('/') == std::string::npos) names.insert(host.substr(host.find('@') + 1));
  for (const config::LaunchConfig& launch : configuration.launches)
    for (const auto& key : {Fields::kMasterAddress, Fields::kRendezvousHost, Fields::kTorchrunLocalAddress})
      names.insert(launch.text(key));
  names.erase("");
  return {names.begin(), names.end()};
}

std::string own_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

ProbeSession::ProbeSession(const ProbeRequest& request, const Configuration& configuration,
                           const std::vector<hostinfo::HostFacts>& facts)
    : request_(request), configuration_(configuration), hosts_(request.hosts), token_(probe::fresh_token()) {
  for (const hostinfo::HostFacts& host : facts) hosts_with_facts_.push_back(host.name);
  agents_.emplace(token_);
}

ProbeSession::~ProbeSession() {
  remove_own_folder();
}

void ProbeSession::remove_own_folder() {
  std::error_code ignored;
  if (!own_folder_.empty()) fs::remove_all(std::exchange(own_folder_, {}), ignored);
}

Result<std::unique_ptr<ProbeSession>> ProbeSession::begin(const ProbeRequest& request,
                                                          const Configuration& configuration,
                                                          const std::vector<hostinfo::HostFacts>& facts) {
  std::unique_ptr<ProbeSession> made(new ProbeSession(request, configuration, facts));
  TRY(request.is_by_hand ? made->ask_for_agents() : made->start());
  const std::size_t expected = made->expected_hosts();
  probe::await_agents(*made->agents_, expected, request.wait);
  // Several mpiruns that begin at once can take each other's session folder away.
  if (!request.is_by_hand && request.remote.via == hostinfo::Via::kMpirun) {
    made->agents_->start_again(made->remote_request());
    probe::await_agents(*made->agents_, expected, request.wait);
  }
  made->report_missing_agents(expected);
  const std::size_t spoke = made->agents_->size() - made->missing_.size();
  if (spoke == 0) {
    return Error{"no agent answers", made->missing_.empty() ? "" : made->missing_.front(), "",
                 "start one by hand to see why, or use --via hand, which prints the command"};
  }
  return made;
}

// Those that were named, of the job's host list, or of the facts.
Result<void> ProbeSession::start() {
  if (hosts_.empty()) hosts_ = host_list_of(configuration_);
  if (hosts_.empty()) hosts_ = hosts_with_facts_;
  if (hosts_.empty())
    return Error{"--probe needs to know the hosts", "", "", "name them:  --host node1,node2"};
  agents_->start(remote_request());
  return {};
}

// Each start sends the program to a folder of its own.
hostinfo::RemoteRequest ProbeSession::remote_request() const {
  hostinfo::RemoteRequest remote = request_.remote;
  remote.hosts = hosts_;
  remote.verb = "probe-agent";
  remote.is_talked_to = true;
  if (request_.sends_program) remote.sent_to = "/tmp/lockstep-" + probe::fresh_token();
  return remote;
}

Result<void> ProbeSession::ask_for_agents() {
  base::HostPort at{own_name(), 0};
  if (const auto& given = request_.listen_at) {
    const auto parsed = base::host_port_in(*given);
    if (!parsed) return Error{"this is no place to listen at", *given, "", "write HOST:PORT"};
    at = *parsed;
  }
  if (expected_hosts() == 0)
    return Error{"--probe needs to know how many hosts there are", "", "", "name them:  --host node1,node2"};
  const std::uint16_t port = TRY(agents_->listen(at.port));
  request_.tell(
      fmt::format("lockstep: run this on each of the {} hosts; it ends with this check:\n  LOCKSTEP_TOKEN={} "
                  "{} probe-agent {}:{}\n",
                  expected_hosts(), token_, request_.remote.program, at.host, port));
  return {};
}

std::size_t ProbeSession::expected_hosts() const {
  if (!hosts_.empty()) return hosts_.size();
  if (!hosts_with_facts_.empty()) return hosts_with_facts_.size();
  if (const auto listed = host_list_of(configuration_); !listed.empty()) return listed.size();
  for (const config::LaunchConfig& launch : configuration_.launches)
    if (const auto nodes = launch.number(Fields::kNodes); nodes && *nodes > 0)
      return static_cast<std::size_t>(*nodes);
  return 0;
}

void ProbeSession::report_missing_agents(std::size_t expected) {
  for (std::size_t at = 0; at < agents_->size(); ++at) {
    if (agents_->has_spoken(at) && !agents_->is_gone(at)) continue;
    missing_.push_back(
        base::escape_for_terminal(fmt::format("{}: {}", agents_->asked_as(at), agents_->trouble(at))));
    request_.tell(fmt::format("lockstep: no agent on {}\n", missing_.back()));
  }
  if (agents_->size() < expected)
    request_.tell(fmt::format("lockstep: {} of {} agents came\n", agents_->size(), expected));
}

Result<std::string> ProbeSession::collect_facts() {
  std::string folder = (fs::temp_directory_path() / "lockstep-check-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return Error{"cannot make a folder for facts", folder, "", ""};
  own_folder_ = folder;
  const auto told = probe::facts_from(
      *agents_, {.names = names_to_resolve(configuration_, hosts_), .python = request_.python},
      kFactsTimeout);
  if (told.empty()) return Error{"no agent told the facts of its host", "", "", "give them with --facts"};
  for (const auto& [agent, json] : told)
    TRY(base::write_file(fs::path(folder) / fmt::format("{:05}.json", agent), json));
  return folder;
}

probe::Probing ProbeSession::run(const Configuration& configuration,
                                 const std::vector<hostinfo::HostFacts>& hosts) {
  remove_own_folder();  // they are read, and whoever interrupts the probe leaves nothing
  return probe::probe(*agents_, flows::plan_flows(configuration, hosts), hosts,
                      {.measures = request_.measures, .on_progress = request_.on_progress});
}

}  // namespace lockstep::check
