#include "service/engine/slurm/slurm_tools.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/process/environment.h"
#include "base/process/spawn.h"
#include "base/text_fields.h"

namespace lockstep::service {

namespace {

constexpr std::int64_t kMebibyte = 1 << 20;
constexpr int kMinute = 60;

std::vector<std::string_view> split(std::string_view text, char delimiter) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::string_view part = base::word_of(text, delimiter);
    parts.push_back(base::trimmed(part));
    if (part.size() == text.size()) return parts;
    text.remove_prefix(part.size() + 1);
  }
}

std::int64_t leading_number(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, [](unsigned char c) { return std::isdigit(c) != 0; });
  return base::number_in<std::int64_t>(text.substr(0, static_cast<std::size_t>(end - text.begin())))
      .value_or(0);
}

// "gpu:2", "gpu:a100:4(S:0-1),nvme:1"
int gpus_in(std::string_view gres) {
  std::int64_t count = 0;
  for (const std::string_view one : split(gres, ',')) {
    const auto parts = split(base::word_of(one, '('), ':');
    if (parts.size() > 1 && parts.front() == "gpu") count += leading_number(parts.back());
  }
  return static_cast<int>(count);
}

// "n1|main*|2|2048|gpu:2|idle|infinite"
std::optional<SlurmNode> node_in(std::string_view line) {
  const auto fields = split(line, '|');
  if (fields.size() < 7 || fields[0].empty()) return std::nullopt;
  SlurmNode node;
  node.name = fields[0];
  node.partition = base::word_of(fields[1], '*');
  node.is_default = node.partition.size() < fields[1].size();
  node.cpus = static_cast<int>(leading_number(fields[2]));
  node.memory_bytes = leading_number(fields[3]) * kMebibyte;
  node.gpus = gpus_in(fields[4]);
  node.state = fields[5];
  node.time_limit_s = seconds_in(fields[6]);
  return node;
}

RemoteStanding standing_of(std::string_view word) {
  constexpr std::string_view kWaits[] = {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD",
                                         "RESV_DEL_HOLD"};
  constexpr std::string_view kRuns[] = {"RUNNING",   "COMPLETING", "SUSPENDED", "STAGE_OUT",
                                        "SIGNALING", "STOPPED",    "RESIZING"};
  constexpr std::string_view kEnds[] = {"COMPLETED", "FAILED",    "CANCELLED", "TIMEOUT",       "NODE_FAIL",
                                        "PREEMPTED", "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY", "REVOKED"};
  if (std::ranges::find(kWaits, word) != std::end(kWaits)) return RemoteStanding::kWaiting;
  if (std::ranges::find(kRuns, word) != std::end(kRuns)) return RemoteStanding::kRunning;
  return std::ranges::find(kEnds, word) != std::end(kEnds) ? RemoteStanding::kOver : RemoteStanding::kUnknown;
}

std::string quoted(const std::string& text) {
  std::string made = "'";
  for (const char c : text) made += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return made + "'";
}

}  // namespace

bool SlurmNode::can_work() const {
  constexpr std::string_view kCannot[] = {"down",    "drain", "fail",  "error",
                                          "unknown", "inval", "maint", "planned_down"};
  return std::ranges::none_of(kCannot, [&](std::string_view word) { return state.starts_with(word); }) &&
         state.find('*') == std::string::npos;  // marks a node that does not answer
}

std::vector<SlurmNode> nodes_in(std::string_view printed) {
  std::vector<SlurmNode> nodes;
  for (const std::string_view line : split(printed, '\n')) {
    if (auto node = node_in(line)) nodes.push_back(std::move(*node));
  }
  return nodes;
}

std::optional<int> seconds_in(std::string_view time) {
  if (time.empty() || std::isdigit(static_cast<unsigned char>(time.front())) == 0) return std::nullopt;
  std::int64_t days = 0;
  if (const std::size_t dash = time.find('-'); dash != std::string_view::npos) {
    days = leading_number(time);
    time.remove_prefix(dash + 1);
  }
  std::vector<std::int64_t> parts;
  for (const std::string_view part : split(time, ':')) parts.push_back(leading_number(part));
  std::int64_t seconds = 0;
  for (const std::int64_t part : parts) seconds = seconds * kMinute + part;
  if (parts.size() == 1) seconds *= kMinute;
  return static_cast<int>(std::min<std::int64_t>(days * 86'400 + seconds, 366 * 86'400));
}

SlurmState state_in(std::string_view printed) {
  for (const std::string_view line : split(printed, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() < 3) continue;
    return {standing_of(fields[0]), std::string(fields[0]), std::string(fields[1]), std::string(fields[2])};
  }
  return {};
}

// "CANCELLED by 1000|n[1-2]"
SlurmState accounted_state_in(std::string_view printed) {
  for (const std::string_view line : split(printed, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() < 2) continue;
    const std::string_view word = base::word_of(fields[0], ' ');
    return {standing_of(word), std::string(word), "", std::string(fields[1])};
  }
  return {};
}

std::optional<std::string> account_refusal_in(std::string_view printed) {
  constexpr std::string_view kRefusal = "Invalid account";
  const std::size_t begin = printed.find(kRefusal);
  if (begin == std::string_view::npos) return std::nullopt;
  return std::string(base::trimmed(base::word_of(printed.substr(begin), '\n')));
}

std::optional<std::string> job_number_in(std::string_view printed) {
  const auto lines = split(printed, '\n');
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const std::string_view number = base::word_of(*line, ';');
    if (base::number_in<std::int64_t>(number)) return std::string(number);
  }
  return std::nullopt;
}

std::string slurm_job_name(const Plan& plan) {
  return fmt::format("lockstep-{}-{}", plan.job_id, plan.attempt);
}

// No requeueing by Slurm: it waits for minutes and forgets what was learned; a new attempt is a new job.
std::vector<std::string> sbatch_words(const AttemptFolder& folder, const Plan& plan) {
  const SlurmRequest& asked = *plan.slurm;
  std::vector<std::string> words = {asked.tools + "/sbatch",
                                    "--parsable",
                                    "--no-requeue",
                                    "--job-name=" + slurm_job_name(plan),
                                    fmt::format("--nodes={}", plan.nodes),
                                    fmt::format("--ntasks={}", plan.nodes),
                                    "--ntasks-per-node=1",
                                    fmt::format("--cpus-per-task={}", asked.cpus_per_node),
                                    fmt::format("--output={}", (folder.path / "slurm.out").string()),
                                    "--chdir=" + folder.path.string()};
  if (asked.gpus_per_node > 0) words.push_back(fmt::format("--gres=gpu:{}", asked.gpus_per_node));
  if (asked.memory_per_node > 0)
    words.push_back(fmt::format("--mem={}M", (asked.memory_per_node + kMebibyte - 1) / kMebibyte));
  if (!asked.partition.empty()) words.push_back("--partition=" + asked.partition);
  if (!asked.account.empty()) words.push_back("--account=" + asked.account);
  // A minute more than ours, which knows how to end a job so that it can be explained.
  if (plan.time_limit_s > 0) words.push_back(fmt::format("--time={}", plan.time_limit_s / kMinute + 2));
  if (!asked.excluded_nodes.empty())
    words.push_back(fmt::format("--exclude={}", fmt::join(asked.excluded_nodes, ",")));
  words.push_back((folder.path / "slurm.sh").string());
  return words;
}

std::string batch_script(const AttemptFolder& folder, const Plan& plan, const std::string& program) {
  return fmt::format(
      "#!/bin/sh\nexec {} --kill-on-bad-exit=1 --mpi=none --cpu-bind=none --nodes={} --ntasks={} "
      "--ntasks-per-node=1 --cpus-per-task={} --output={} {} service-part node {}\n",
      quoted(plan.slurm->tools + "/srun"), plan.nodes, plan.nodes, plan.slurm->cpus_per_node,
      quoted((folder.nodes() / "%n.log").string()), quoted(program), quoted(folder.path.string()));
}

namespace {

constexpr std::chrono::seconds kToolTime{20};
constexpr std::chrono::seconds kShortTime{5};  // while the whole service waits
constexpr const char* kAccountsReachBack = "now-30days";
constexpr std::size_t kMaxPrinted = std::size_t{16} << 20;

// What the recorder needs in the ranks would only slow these down.
std::vector<std::string> tool_environment() {
  std::vector<std::string> environment = process::own_environment();
  std::erase_if(environment, [](const std::string& entry) { return entry.starts_with("LD_PRELOAD="); });
  return environment;
}

}  // namespace

Result<SlurmTools> SlurmTools::in_path(const std::string& path) {
  const std::string sbatch = process::program_in(path, "sbatch");
  if (!sbatch.empty()) return SlurmTools(std::filesystem::path(sbatch).parent_path().string());
  return Error{"cannot use Slurm", "sbatch", "no such program in PATH",
               "serve on a host from which jobs are handed in to Slurm"};
}

Result<std::string> SlurmTools::printed_by(std::vector<std::string> words,
                                           std::chrono::milliseconds patience) const {
  const std::string name = words.front();
  words.front() = folder_ + "/" + name;
  const auto captured = TRY(process::capture({words, tool_environment()}, patience, kMaxPrinted));
  if (!captured.timed_out && captured.err.empty()) return captured.out;
  const std::string why = captured.timed_out ? "it gave no answer" : std::string(base::trimmed(captured.err));
  if (!captured.timed_out && !captured.out.empty()) return captured.out;  // a warning beside the answer
  return Error{"Slurm did not answer", name, why, ""};
}

Result<std::vector<SlurmNode>> SlurmTools::nodes() const {
  auto nodes = nodes_in(TRY(printed_by({"sinfo", "-h", "-N", "-o", kNodeFormat}, kShortTime)));
  if (!nodes.empty()) return nodes;
  return Error{"Slurm has no nodes", "sinfo", "it names none", ""};
}

Result<std::string> SlurmTools::submit(const AttemptFolder& folder, const Plan& plan) const {
  const auto captured =
      TRY(process::capture({sbatch_words(folder, plan), process::own_environment()}, kToolTime, kMaxPrinted));
  if (auto number = job_number_in(captured.out)) return *number;
  return Error{"Slurm refused the job", "sbatch",
               captured.timed_out ? "it gave no answer" : std::string(base::trimmed(captured.err)), ""};
}

std::optional<SlurmState> SlurmTools::state_of(const std::string& number) const {
  const auto printed = printed_by({"squeue", "-h", "-t", "all", "-j", number, "-o", kStateFormat}, kToolTime);
  if (printed.ok())
    return base::trimmed(printed.value()).empty() ? std::nullopt : std::optional(state_in(printed.value()));
  if (printed.error().why.find("Invalid job id") != std::string::npos) return std::nullopt;
  return SlurmState{};
}

Result<SlurmState> SlurmTools::accounted_end_of(const std::string& number) const {
  const SlurmState kept = accounted_state_in(
      TRY(printed_by({"sacct", "-n", "-X", "-P", "-j", number, "-o", kAccountFormat}, kToolTime)));
  if (kept.standing == RemoteStanding::kOver) return kept;
  return Error{"Slurm's accounts do not tell how the job ended", number,
               kept.word.empty() ? "they do not know it" : "they have it as " + kept.word, ""};
}

Result<std::optional<std::string>> SlurmTools::number_of(const std::string& job_name) const {
  const std::string queued =
      TRY(printed_by({"squeue", "-h", "-t", "all", "-n", job_name, "-o", "%A"}, kToolTime));
  if (auto number = job_number_in(queued)) return number;
  const auto kept = printed_by(
      {"sacct", "-n", "-X", "-P", "-S", kAccountsReachBack, "--name=" + job_name, "-o", "JobIDRaw"},
      kToolTime);
  return kept.ok() ? job_number_in(kept.value()) : std::nullopt;  // many sites keep no accounts
}

std::optional<std::string> SlurmTools::refusal_of_account(const std::string& account,
                                                          const std::string& partition) const {
  const auto asked = process::capture({{folder_ + "/sbatch", "--test-only", "--account=" + account,
                                        "--partition=" + partition, "--nodes=1", "--wrap=true"},
                                       tool_environment()},
                                      kShortTime, kMaxPrinted);
  return asked.ok() ? account_refusal_in(asked.value().err) : std::nullopt;
}

void SlurmTools::cancel(const std::string& number) const {
  static_cast<void>(printed_by({"scancel", number}, kToolTime).ok());
}

}  // namespace lockstep::service
