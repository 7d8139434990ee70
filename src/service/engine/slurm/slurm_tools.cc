#include "service/engine/slurm/slurm_tools.h"

#include <algorithm>
#include <filesystem>

#include "base/process/capture.h"
#include "base/process/environment.h"
#include "base/text_fields.h"

namespace lockstep::service {
namespace {

constexpr std::chrono::seconds kToolTime{20};
constexpr std::chrono::seconds kShortTime{5};  // while the whole service waits
constexpr const char* kAccountsReachBack = "now-30days";
constexpr std::size_t kMostPrinted = std::size_t{16} << 20;

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
  const auto captured = TRY(process::capture({words, tool_environment()}, patience, kMostPrinted));
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
  const auto captured = TRY(
      process::capture({sbatch_words(folder, plan), process::own_environment()}, kToolTime, kMostPrinted));
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

std::optional<std::string> SlurmTools::number_of(const std::string& job_name) const {
  const auto queued = printed_by({"squeue", "-h", "-t", "all", "-n", job_name, "-o", "%A"}, kToolTime);
  if (queued.ok()) {
    if (auto number = job_number_in(queued.value())) return number;
  }
  const auto kept = printed_by(
      {"sacct", "-n", "-X", "-P", "-S", kAccountsReachBack, "--name=" + job_name, "-o", "JobIDRaw"},
      kToolTime);
  return kept.ok() ? job_number_in(kept.value()) : std::nullopt;
}

std::optional<std::string> SlurmTools::refusal_of_account(const std::string& account,
                                                          const std::string& partition) const {
  const auto asked = process::capture({{folder_ + "/sbatch", "--test-only", "--account=" + account,
                                        "--partition=" + partition, "--nodes=1", "--wrap=true"},
                                       tool_environment()},
                                      kShortTime, kMostPrinted);
  return asked.ok() ? account_refusal_in(asked.value().err) : std::nullopt;
}

void SlurmTools::cancel(const std::string& number) const {
  static_cast<void>(printed_by({"scancel", number}, kToolTime).ok());
}

}  // namespace lockstep::service
