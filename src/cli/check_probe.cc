#include "cli/check_probe.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/host_port.h"
#include "base/text_fields.h"
#include "cli/progress_line.h"
#include "cli/remote_flags.h"
#include "cli/terminal.h"
#include "hostinfo/facts_folder.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using config::Configuration;

constexpr std::chrono::seconds kToTellFacts{120};

std::vector<std::string> host_list_of(const Configuration& configuration) {
  std::vector<std::string> names;
  for (const config::Settings& launch : configuration.launches)
    for (std::size_t at = 0; at < launch.count("host_list"); ++at)
      names.push_back(launch.text(fmt::format("host_list/{}/name", at)));
  return names;
}

// Names that the ranks will look up.
std::vector<std::string> names_to_resolve(const Configuration& configuration,
                                          const std::vector<std::string>& hosts) {
  std::set<std::string> names;
  for (const auto& list : {hosts, host_list_of(configuration)})
    for (const std::string& host : list)
      if (host.find('/') == std::string::npos) names.insert(host.substr(host.find('@') + 1));
  for (const config::Settings& launch : configuration.launches)
    for (const char* key : {"job/master_addr", "torchrun/rdzv_host", "torchrun/local_addr"})
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

CheckProbe::CheckProbe(const Args& args, const Configuration& configuration, Terminal& terminal)
    : args_(args),
      configuration_(configuration),
      terminal_(terminal),
      hosts_(words_in(args.values("host"))),
      token_(probe::fresh_token()) {
  agents_.emplace(token_);
}

CheckProbe::~CheckProbe() {
  remove_own_folder();
}

void CheckProbe::remove_own_folder() {
  std::error_code ignored;
  if (!own_folder_.empty()) fs::remove_all(std::exchange(own_folder_, {}), ignored);
}

Result<std::unique_ptr<CheckProbe>> CheckProbe::begin(const Args& args, const Configuration& configuration,
                                                      Terminal& terminal) {
  std::unique_ptr<CheckProbe> made(new CheckProbe(args, configuration, terminal));
  const auto wait = base::number_in<int>(*args.value("wait"));
  if (!wait || *wait < 1 || *wait > 3600)
    return Error{"--wait takes seconds", *args.value("wait"), "", "give a number from 1 to 3600"};
  const bool is_by_hand = *args.value("via") == "hand";
  TRY(is_by_hand ? made->ask_for_agents() : made->start());
  const std::size_t expected = made->expected_hosts();
  probe::await_agents(*made->agents_, expected, std::chrono::seconds(*wait));
  // Several mpiruns that begin at once can take each other's session folder away.
  if (*args.value("via") == "mpirun") {
    made->agents_->start_again(made->request());
    probe::await_agents(*made->agents_, expected, std::chrono::seconds(*wait));
  }
  made->tell_who_is_missing(expected);
  const std::size_t spoke = made->agents_->size() - made->missing_.size();
  if (spoke == 0) {
    return Error{"no agent answers", made->missing_.empty() ? "" : made->missing_.front(), "",
                 "start one by hand to see why, or use --via hand, which prints the command"};
  }
  return made;
}

// Those of --host, of the job's host list, or of the facts.
Result<void> CheckProbe::start() {
  if (hosts_.empty()) hosts_ = host_list_of(configuration_);
  if (const auto folder = args_.value("facts"); hosts_.empty() && folder)
    for (const hostinfo::HostFacts& host : TRY(hostinfo::read_facts_folder(*folder)).hosts)
      hosts_.push_back(host.name);
  if (hosts_.empty())
    return Error{"--probe needs to know the hosts", "", "", "name them:  --host node1,node2"};
  agents_->start(request());
  return {};
}

hostinfo::RemoteRequest CheckProbe::request() const {
  hostinfo::RemoteRequest request = remote_request(args_, hosts_);
  request.verb = "probe-agent";
  request.is_talked_to = true;
  return request;
}

Result<void> CheckProbe::ask_for_agents() {
  base::HostPort at{own_name(), 0};
  if (const auto given = args_.value("listen")) {
    const auto parsed = base::host_port_in(*given);
    if (!parsed) return Error{"this is no place to listen at", *given, "", "write HOST:PORT"};
    at = *parsed;
  }
  if (expected_hosts() == 0)
    return Error{"--probe needs to know how many hosts there are", "", "", "name them:  --host node1,node2"};
  const std::uint16_t port = TRY(agents_->listen(at.port));
  terminal_.tell(
      fmt::format("lockstep: run this on each of the {} hosts; it ends with this check:\n  LOCKSTEP_TOKEN={} "
                  "{} probe-agent {}:{}\n",
                  expected_hosts(), token_, *args_.value("program"), at.host, port));
  return {};
}

std::size_t CheckProbe::expected_hosts() const {
  if (!hosts_.empty()) return hosts_.size();
  if (const auto folder = args_.value("facts"))
    if (const auto facts = hostinfo::read_facts_folder(*folder); facts.ok())
      return facts.value().hosts.size();
  if (const auto listed = host_list_of(configuration_); !listed.empty()) return listed.size();
  for (const config::Settings& launch : configuration_.launches)
    if (const auto nodes = launch.number("job/nnodes"); nodes && *nodes > 0)
      return static_cast<std::size_t>(*nodes);
  return 0;
}

void CheckProbe::tell_who_is_missing(std::size_t expected) {
  for (std::size_t at = 0; at < agents_->size(); ++at) {
    if (agents_->has_spoken(at) && !agents_->is_gone(at)) continue;
    missing_.push_back(
        base::escape_for_terminal(fmt::format("{}: {}", agents_->asked_as(at), agents_->trouble(at))));
    terminal_.tell(fmt::format("lockstep: no agent on {}\n", missing_.back()));
  }
  if (agents_->size() < expected)
    terminal_.tell(fmt::format("lockstep: {} of {} agents came\n", agents_->size(), expected));
}

Result<std::string> CheckProbe::facts_folder() {
  if (const auto given = args_.value("facts")) return *given;
  std::string folder = (fs::temp_directory_path() / "lockstep-check-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return Error{"cannot make a folder for facts", folder, "", ""};
  own_folder_ = folder;
  const auto told = probe::facts_from(
      *agents_,
      {.names = names_to_resolve(configuration_, hosts_), .python = args_.value("python").value_or("")},
      kToTellFacts);
  if (told.empty()) return Error{"no agent told the facts of its host", "", "", "give them with --facts"};
  for (const auto& [agent, json] : told)
    TRY(base::write_file(fs::path(folder) / fmt::format("{:05}.json", agent), json));
  return folder;
}

probe::Probing CheckProbe::run(const Configuration& configuration,
                               const std::vector<hostinfo::HostFacts>& hosts) {
  remove_own_folder();  // they are read, and whoever interrupts the probe leaves nothing
  ProgressLine progress(terminal_);
  return probe::probe(*agents_, flows::plan_flows(configuration, hosts), hosts,
                      {.measures = args_.has("probe-matrix"),
                       .on_progress = [&](std::string_view what, std::size_t done, std::size_t all) {
                         progress.show_count(what, done, all);
                       }});
}

}  // namespace lockstep::cli
