#include "hostinfo/remote.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <time.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "hostinfo/collect/program.h"
#include "hostinfo/facts_json.h"

namespace lockstep::hostinfo {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kAtOnce = 32;

std::int64_t wall_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// For the shell that ssh starts on the other side.
std::string quoted(const std::string& word) {
  std::string made = "'";
  for (const char letter : word) made += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return made + "'";
}

constexpr std::string_view kStartOfFolders = "lockstep-";

// One for each: hosts can share a file system.
std::string folder_for(const RemoteRequest& request, const std::string& host) {
  const auto place = std::ranges::find(request.hosts, host) - request.hosts.begin();
  return fmt::format("{}-{}", request.sent_to, place);
}

std::string program_for(const RemoteRequest& request, const std::string& host) {
  return request.sent_to.empty() ? request.program : folder_for(request, host) + "/lockstep";
}

Words question(const RemoteRequest& request, std::string_view program) {
  Words words = {std::string(program), request.verb};
  const bool is_left_there = !request.sent_to.empty() && request.via != Via::kMpirun;
  if (is_left_there) words.emplace_back("--remove-itself");
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  return words;
}

std::string as_shell_line(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + quoted(word);
  return line;
}

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// "namespace/pod" as kubectl's words.
Words pod_words(const std::string& host) {
  const std::size_t slash = host.find('/');
  if (slash == std::string::npos) return {host};
  return {"-n", host.substr(0, slash), host.substr(slash + 1)};
}

Words ssh_words(const char* program) {
  return {program, "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"};
}

std::vector<Words> over_ssh(const RemoteRequest& request, const std::string& host,
                            const std::string& binary) {
  std::vector<Words> commands;
  if (!request.sent_to.empty()) {
    commands.push_back(
        joined(ssh_words("ssh"), {host, as_shell_line({"mkdir", "-m", "700", folder_for(request, host)})}));
    commands.push_back(
        joined(ssh_words("scp"), {"-q", binary, fmt::format("{}:{}", host, program_for(request, host))}));
  }
  commands.push_back(
      joined(ssh_words("ssh"), {host, as_shell_line(question(request, program_for(request, host)))}));
  return commands;
}

Words exec_words(const std::string& host, bool is_talked_to) {
  Words exec = {"kubectl", "exec"};
  if (is_talked_to) exec.emplace_back("-i");
  return joined(joined(exec, pod_words(host)), {"--"});
}

std::vector<Words> over_kubectl(const RemoteRequest& request, const std::string& host,
                                const std::string& binary) {
  std::vector<Words> commands;
  if (!request.sent_to.empty()) {
    commands.push_back(joined(exec_words(host, false), {"mkdir", "-m", "700", folder_for(request, host)}));
    commands.push_back({"kubectl", "cp", binary, fmt::format("{}:{}", host, program_for(request, host))});
  }
  commands.push_back(
      joined(exec_words(host, request.is_talked_to), question(request, program_for(request, host))));
  return commands;
}

// srun and mpirun copy by themselves.
std::vector<Words> over_launcher(const RemoteRequest& request, Words words, const std::string& binary) {
  return {joined(std::move(words), question(request, request.sent_to.empty() ? request.program : binary))};
}

Result<RemoteText::Answer> ask_one(const RemoteRequest& request, const std::string& host,
                                   const std::string& binary) {
  const auto commands = commands_for(request, host, binary);
  RemoteText::Answer said;
  Answer answer;
  std::size_t done = 0;
  for (; done < commands.size(); ++done) {
    said.asked_ns = wall_ns();
    answer = ask(commands[done], request.time);
    said.answered_ns = wall_ns();
    if (!answer.ok()) break;
  }
  if (answer.ok() && base::trimmed(answer.text).empty()) answer.why_not = "it printed nothing";
  if (!answer.ok()) {
    if (done > 0) take_back(request, host);
    return Error{fmt::format("cannot run 'lockstep {}'", request.verb), host, answer.why_not,
                 "try  " + as_shell_line(commands.back()) + "  by hand; --send copies this program there"};
  }
  const std::size_t begin = answer.text.find('{');  // behind what a login shell may print
  said.text = answer.text.substr(begin == std::string::npos ? 0 : begin);
  return said;
}

Result<HostFacts> facts_in(const RemoteText& answer) {
  if (!answer.text.ok()) {
    Error error = answer.text.error();
    error.what = "cannot collect facts";
    return error;
  }
  const RemoteText::Answer& said = answer.text.value();
  HostFacts facts = TRY(decode_facts(said.text, answer.host));
  facts.clock.offset_ns = facts.clock.wall_ns - (said.asked_ns + (said.answered_ns - said.asked_ns) / 2);
  facts.clock.offset_uncertainty_ns = (said.answered_ns - said.asked_ns) / 2;
  return facts;
}

}  // namespace

std::vector<Words> commands_for(const RemoteRequest& request, const std::string& host,
                                const std::string& binary) {
  switch (request.via) {
    case Via::kSsh:
      return over_ssh(request, host, binary);
    case Via::kKubectl:
      return over_kubectl(request, host, binary);
    case Via::kSrun: {
      Words words = {"srun", "--nodelist", host, "--nodes=1", "--ntasks=1", "--overlap"};
      if (!request.slurm_job.empty()) words.push_back("--jobid=" + request.slurm_job);
      if (!request.sent_to.empty()) words.push_back(fmt::format("--bcast={}", folder_for(request, host)));
      return over_launcher(request, std::move(words), binary);
    }
    case Via::kMpirun: {
      Words words = {"mpirun", "--host", host, "-np", "1"};
      if (!request.sent_to.empty()) words.emplace_back("--preload-binary");
      return over_launcher(request, std::move(words), binary);
    }
  }
  return {};
}

void take_back(const RemoteRequest& request, const std::string& host) {
  if (request.sent_to.empty()) return;
  const Words remove = {"rm", "-rf", folder_for(request, host)};
  if (request.via == Via::kSsh) ask(joined(ssh_words("ssh"), {host, as_shell_line(remove)}), request.time);
  if (request.via == Via::kKubectl) ask(joined(exec_words(host, false), remove), request.time);
}

std::string own_binary() {
  char own[4096] = {};
  const ssize_t length = ::readlink("/proc/self/exe", own, sizeof own - 1);
  return {own, static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

void remove_own_copy() {
  const std::filesystem::path own = own_binary();
  ::unlink(own.c_str());
  if (own.parent_path().filename().string().starts_with(kStartOfFolders)) ::rmdir(own.parent_path().c_str());
}

std::vector<RemoteText> ask_all(const RemoteRequest& request) {
  const std::string binary = own_binary();
  std::vector<RemoteText> answers;
  for (std::size_t begin = 0; begin < request.hosts.size(); begin += kAtOnce) {
    const std::size_t end = std::min(request.hosts.size(), begin + kAtOnce);
    std::vector<std::future<Result<RemoteText::Answer>>> asked;
    for (std::size_t at = begin; at < end; ++at) {
      asked.push_back(std::async(std::launch::async, [&request, &binary, host = request.hosts[at]] {
        return ask_one(request, host, binary);
      }));
    }
    for (std::size_t at = begin; at < end; ++at)
      answers.push_back({.host = request.hosts[at], .text = asked[at - begin].get()});
  }
  return answers;
}

std::vector<RemoteFacts> collect_from(const RemoteRequest& request) {
  std::vector<RemoteFacts> facts;
  for (const RemoteText& answer : ask_all(request))
    facts.push_back({.host = answer.host, .facts = facts_in(answer)});
  return facts;
}

}  // namespace lockstep::hostinfo
