#include "attach/look.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <future>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/fast_json.h"
#include "base/process/environment.h"
#include "base/text_fields.h"
#include "diagnose/ranks/hang/meeting_place.h"
#include "hostinfo/collect/program.h"
#include "hostinfo/remote.h"
#include "run/evidence/process_facts.h"
#include "run/evidence/stacks.h"

namespace lockstep::attach {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// py-spy takes a few hundredths of a second for a process; more at once only wait for each other.
constexpr std::size_t kReadersAtOnce = 8;
constexpr milliseconds kTimeForOneStack{10'000};

// Counters of training loops, as people name them.
constexpr std::array<std::string_view, 14> kLoopNames = {
    "step", "global_step", "epoch", "batch_idx", "batch",   "iteration", "iter",
    "it",   "iter_num",    "i",     "idx",       "step_id", "batch_id",  "itr"};

bool is_of_a_framework(std::string_view file) {
  return file.find("site-packages/") != std::string_view::npos ||
         file.find("dist-packages/") != std::string_view::npos ||
         file.find("/lib/python") != std::string_view::npos || file.starts_with('<');
}

void add_loops(base::FastJson frame, std::map<std::string, std::int64_t>& loops) {
  base::for_each_element(base::member(frame, "locals"), [&](base::FastJson local) {
    const std::string_view name = base::string_member(local, "name").value_or("");
    if (std::ranges::find(kLoopNames, name) == kLoopNames.end()) return;
    const auto value = base::number_in<std::int64_t>(base::string_member(local, "repr").value_or(""));
    // Of functions that call each other the outermost has the loop; frames come innermost first.
    if (value) loops[std::string(name)] = *value;
  });
}

struct Thread {
  Position position;
  std::optional<int> spawned_as;
  bool is_main = false;
};

Thread thread_of(base::FastJson json) {
  constexpr std::int64_t kMaxLine = 1'000'000'000;
  Thread thread;
  thread.is_main = base::string_member(json, "thread_name").value_or("") == "MainThread" ||
                   base::integer_member(json, "os_thread_id") == base::integer_member(json, "pid");
  base::for_each_element(base::member(json, "frames"), [&](base::FastJson frame) {
    const std::string_view file = base::string_member(frame, "filename").value_or("");
    const std::int64_t line = base::integer_member(frame, "line").value_or(0);
    thread.position.stack.push_back({.function = std::string(base::string_member(frame, "name").value_or("")),
                                     .file = std::string(file),
                                     .line = line > 0 && line < kMaxLine ? static_cast<int>(line) : 0});
    if (!is_of_a_framework(file)) add_loops(frame, thread.position.loops);
  });
  return thread;
}

std::vector<Thread> threads_in(std::string_view json) {
  std::vector<Thread> threads;
  base::FastJsonParser parser;
  if (const auto list = parser.parse(json))
    base::for_each_element(*list, [&](base::FastJson thread) { threads.push_back(thread_of(thread)); });
  return threads;
}

// Beside this program, beside the rank's Python, or in PATH.
std::string stack_reader(const RankProcess& process) {
  const fs::path beside = fs::path(hostinfo::own_binary()).parent_path() / "py-spy";
  if (process::is_program(beside)) return beside.string();
  const fs::path of_rank = fs::path(base::word_of(process.command)).parent_path() / "py-spy";
  if (of_rank.is_absolute() && process::is_program(of_rank)) return of_rank.string();
  return hostinfo::is_installed("py-spy") ? "py-spy" : "";
}

struct ReadStack {
  Position position;
  std::string why_not;
};

std::string reason_from(std::string_view said) {
  if (said.find("ermission denied") != std::string_view::npos ||
      said.find("not permitted") != std::string_view::npos)
    return "this user may not read its memory";
  if (said.find("Failed to find python") != std::string_view::npos) return "it is no Python program";
  return fmt::format("py-spy says: {}", base::trimmed(base::word_of(base::trimmed(said), '\n')));
}

ReadStack read_stack(const RankProcess& process, const LookOptions& options) {
  const std::string reader = stack_reader(process);
  if (reader.empty()) return {.position = {}, .why_not = "py-spy is not installed (pip install py-spy)"};
  std::vector<std::string> words = {reader,     "dump",  "--json",
                                    "--locals", "--pid", std::to_string(process.pid)};
  if (!options.may_pause) words.emplace_back("--nonblocking");
  // What runs on while it is read can be misread: then it is read again.
  constexpr int kMaxTries = 3;
  ReadStack read;
  for (int attempt = 0; attempt < kMaxTries; ++attempt) {
    const hostinfo::Answer answer = hostinfo::ask(words, kTimeForOneStack);
    if (answer.ok()) read.position = position_in(answer.text);
    if (!read.position.stack.empty()) return {.position = std::move(read.position), .why_not = {}};
    read.why_not = answer.ok() ? "it has no Python frame" : reason_from(answer.why_not);
    if (read.why_not.starts_with("this user")) break;
  }
  return read;
}

std::vector<ReadStack> read_stacks(const std::vector<RankLook>& ranks, const LookOptions& options) {
  std::vector<ReadStack> stacks(ranks.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t at = next++; at < ranks.size(); at = next++)
      stacks[at] = read_stack(ranks[at].process, options);
  };
  std::vector<std::jthread> readers;
  for (std::size_t i = 0; i < std::min(kReadersAtOnce, ranks.size()); ++i) readers.emplace_back(work);
  readers.clear();
  return stacks;
}

std::optional<Seconds> silence_of(const process::Roots& roots, pid_t pid) {
  std::optional<Seconds> silence;
  for (const char* descriptor : {"1", "2"}) {
    struct stat file {};
    const fs::path path = roots.proc / std::to_string(pid) / "fd" / descriptor;
    if (::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) continue;
    const auto written = std::chrono::system_clock::from_time_t(file.st_mtim.tv_sec);
    const Seconds since = std::chrono::system_clock::now() - written;
    if (!silence || since < *silence) silence = since;
  }
  return silence;
}

void add_facts(const process::Roots& roots, RankLook& rank) {
  const pid_t pid = rank.process.pid;
  const evidence::ProcessFacts facts = evidence::facts_of_process(roots, pid);
  rank.state = facts.state;
  rank.waits_in = facts.waits_in;
  rank.swapped_bytes = facts.swapped_bytes.value_or(0);
  const fs::path folder = roots.proc / std::to_string(pid);
  rank.blocked_for = blocked_for(process::text_of(folder / "task" / std::to_string(pid) / "sched"),
                                 process::text_of(roots.proc / "uptime"));
  rank.silent_for = silence_of(roots, pid);
}

// A loader that a spawned rank spawned has that rank's variables.
bool is_a_loader(const RankLook& rank) {
  const auto is_of_one = [](const model::Frame& frame) {
    return frame.function == "_worker_loop" || frame.file.find("resource_tracker") != std::string::npos;
  };
  return !rank.rounds.empty() && std::ranges::any_of(rank.rounds.back().stack, is_of_one);
}

// Ranks that a script starts itself are counted as they were started: torch.multiprocessing.spawn starts them
// by index.
void keep_ranks_alone(JobLook& look) {
  std::erase_if(look.ranks,
                [](const RankLook& rank) { return rank.rounds.empty() || rank.rounds.back().stack.empty(); });
  const bool is_distributed = std::ranges::any_of(look.ranks, [](const RankLook& rank) {
    return std::ranges::any_of(rank.rounds.back().stack, [](const model::Frame& frame) {
      return frame.file.find("torch/multiprocessing/spawn.py") != std::string::npos ||
             ranks::meeting_place_of({frame}) != nullptr;
    });
  });
  if (!is_distributed) look.ranks.clear();
  int number = 0;
  for (RankLook& rank : look.ranks) rank.process.rank = number++;
}

}  // namespace

Position position_in(std::string_view json) {
  std::vector<Thread> threads = threads_in(json);
  const auto meets = [](const Thread& thread) {
    return ranks::meeting_place_of(thread.position.stack) != nullptr;
  };
  auto chosen = std::ranges::find_if(threads, &Thread::is_main);
  if (chosen == threads.end() || !meets(*chosen)) {
    const auto other = std::ranges::find_if(threads, meets);
    if (other != threads.end()) chosen = other;
  }
  return chosen == threads.end() ? Position{} : std::move(chosen->position);
}

std::optional<Seconds> blocked_for(std::string_view sched, std::string_view uptime) {
  const auto number = [](std::string_view text) -> std::optional<double> {
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc{} ? std::optional(value) : std::nullopt;
  };
  std::string_view ran = base::rest_after(sched, "se.exec_start");
  ran = base::trimmed(base::rest_after(base::word_of(ran, '\n'), ":"));
  const auto ran_ms = number(ran);
  const auto now = number(base::word_of(uptime));
  if (!ran_ms || !now || *ran_ms <= 0) return std::nullopt;
  return Seconds(std::max(0.0, *now - *ran_ms / 1000));
}

JobLook look_at(const RunningJob& job, const LookOptions& options, const process::Roots& roots) {
  JobLook look;
  look.job = job;
  look.job.ranks.clear();
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  std::vector<pid_t> pids;
  for (const RankProcess& process : job.ranks) {
    look.ranks.push_back({.process = process, .host = name.data()});
    pids.push_back(process.pid);
  }
  const auto begun = std::chrono::steady_clock::now();
  auto activities = std::async(std::launch::async, [&] {
    return evidence::watch_activity(roots, pids,
                                    std::max(options.between * (options.rounds - 1), milliseconds(600)));
  });
  for (int round = 0; round < options.rounds; ++round) {
    if (round != 0) std::this_thread::sleep_for(options.between);
    std::vector<ReadStack> stacks = read_stacks(look.ranks, options);
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      look.ranks[i].rounds.push_back(std::move(stacks[i].position));
      look.ranks[i].why_no_stack = std::move(stacks[i].why_not);
    }
  }
  const std::vector<evidence::Activity> seen = activities.get();
  look.watched = std::chrono::steady_clock::now() - begun;
  for (std::size_t i = 0; i < look.ranks.size(); ++i) {
    look.ranks[i].doing = seen[i].doing;
    add_facts(roots, look.ranks[i]);
  }
  std::erase_if(look.ranks, is_a_loader);
  if (job.starts_ranks_itself) keep_ranks_alone(look);
  return look;
}

}  // namespace lockstep::attach
