#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/program.h"
#include "cli/remote_flags.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "hostinfo/collect/collect.h"
#include "hostinfo/facts_json.h"
#include "hostinfo/remote.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

hostinfo::RemoteRequest question_to(const Args& args, std::vector<std::string> hosts) {
  hostinfo::RemoteRequest request = remote_request(args, std::move(hosts));
  std::vector<std::string> names = words_in(args.values("name"));
  // Every host is asked for the names of all: that is how the ranks will look for each other.
  if (request.via != hostinfo::Via::kKubectl)
    names.insert(names.end(), request.hosts.begin(), request.hosts.end());
  for (const std::string& name : names)
    request.arguments.push_back("--name=" + name.substr(name.find('@') + 1));
  if (const auto python = args.value("python")) request.arguments.push_back("--python=" + *python);
  return request;
}

// A pod's name holds a slash.
std::string facts_file_of(std::string host) {
  std::ranges::replace(host, '/', '_');
  return host + ".json";
}

Result<ExitStatus> from_others(const Args& args, std::vector<std::string> hosts, Terminal& terminal) {
  const std::string out = *args.value("out");
  if (out == "-") {
    return Error{"'--host' writes one file for each host", "", "'--out' is no folder",
                 "give a folder:  --out facts"};
  }
  std::error_code fault;
  fs::create_directories(out, fault);
  if (fault) return Error{"cannot make the folder", out, fault.message(), "give another with --out"};
  std::size_t missing = 0;
  for (const hostinfo::RemoteFacts& answer : hostinfo::collect_from(question_to(args, std::move(hosts)))) {
    if (!answer.facts.ok()) {
      const Error& error = answer.facts.error();
      terminal.tell(
          fmt::format("lockstep: {}: {}: {}\n  {}\n", error.what, error.where, error.why, error.hint));
      ++missing;
      continue;
    }
    const fs::path file = fs::path(out) / facts_file_of(answer.host);
    TRY(base::write_file(file, hostinfo::encode_facts(answer.facts.value())));
    terminal.tell(fmt::format("lockstep: {}: {}\n", answer.host, file.string()));
  }
  return missing == 0 ? ExitStatus::kNothingFound : ExitStatus::kCouldNotDoIt;
}

Result<ExitStatus> run_facts(const Args& args, Terminal& terminal) {
  if (args.has("remove-itself")) hostinfo::remove_own_copy();
  if (auto hosts = words_in(args.values("host")); !hosts.empty())
    return from_others(args, std::move(hosts), terminal);
  const hostinfo::HostFacts facts = hostinfo::collect({.names = words_in(args.values("name")),
                                                       .python = args.value("python").value_or(""),
                                                       .program = fmt::format("lockstep {}", version())});
  const std::string text = hostinfo::encode_facts(facts);
  const std::string out = *args.value("out");
  if (out == "-") {
    TRY(terminal.write(text));
  } else {
    std::error_code fault;
    const bool is_folder = out.ends_with('/') || fs::is_directory(out, fault);
    if (is_folder) fs::create_directories(out, fault);
    if (is_folder && fault)
      return Error{"cannot make the folder", out, fault.message(), "give another with --out"};
    TRY(base::write_file(is_folder ? fs::path(out) / facts_file_of(facts.name) : fs::path(out), text));
  }
  return ExitStatus::kNothingFound;
}

constexpr std::string_view kFactsDescription[] = {
    "Writes what a preflight must know of this host as one JSON document: interfaces, addresses, routes, "
    "firewall, answers of the resolver, kernel settings, resource limits, shared memory, GPUs, RDMA devices, "
    "versions, clock and environment. Secrets in the environment are masked. Nothing is changed.",
    "Any user may run it; root sees more (the firewall). What could not be seen is told in the member "
    "\"unseen\". Start it the way the job's ranks are started: limits and environment are those of this "
    "process.",
    "With --host the facts of other hosts are collected, one file for each in the folder of --out, by "
    "starting this program there; all hosts' names are resolved on each. The folder is what 'lockstep check "
    "--facts' reads. Exit status 2 means that a host did not answer.",
};

constexpr Example kFactsExamples[] = {
    {"lockstep facts", "This host's facts"},
    {"lockstep facts --host node1,node2 -o facts", "Both hosts' facts over ssh, into facts/"},
    {"lockstep facts --host node1,node2 --via srun --send -o facts",
     "Through Slurm, copying this program there"},
    {"srun --ntasks-per-node=1 lockstep facts -o facts",
     "One file per node of an allocation, in a shared folder"},
};

constexpr std::string_view kVias[] = {"ssh", "srun", "mpirun", "kubectl"};

constexpr Flag kFactsFlags[] = {
    {.name = "name",
     .value_name = "NAME",
     .help = "Also resolve this name here; a list with commas is several",
     .repeatable = true},
    {.name = "python",
     .value_name = "PATH",
     .help = "The job's interpreter, which is asked for versions; python3 otherwise",
     .kind = ValueKind::kFile},
    {.name = "out",
     .short_name = 'o',
     .value_name = "FILE",
     .help = "Where to write it: a file, a folder (DIR/ is made; HOST.json goes into it), or - for standard "
             "output",
     .default_value = "-",
     .kind = ValueKind::kFile},
    {.name = "host",
     .value_name = "HOSTS",
     .help = "Collect from these hosts instead, as a list with commas; pods as NAMESPACE/POD",
     .repeatable = true},
    {.name = "via",
     .value_name = "PROGRAM",
     .help = "How to reach them",
     .choices = kVias,
     .default_value = "ssh"},
    kProgramFlag,
    kSendFlag,
    kRemoveItselfFlag,
};

}  // namespace

constinit const Verb kFactsVerb{
    .name = "facts",
    .one_line = "this host's facts as JSON, or those of other hosts",
    .usage = "facts [--host HOSTS] [flags]",
    .group = VerbGroup::kDeeper,
    .description = kFactsDescription,
    .examples = kFactsExamples,
    .flags = kFactsFlags,
    .run = run_facts,
};

}  // namespace lockstep::cli
