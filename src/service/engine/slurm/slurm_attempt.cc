#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text_fields.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/nodes/follow_remote_job.h"
#include "service/engine/nodes/hand_in.h"
#include "service/engine/slurm/slurm_tools.h"

namespace lockstep::service {
namespace {

constexpr int kNotHandedIn = 2;  // exit status

std::filesystem::path number_file(const AttemptFolder& folder) {
  return folder.path / "slurm.id";
}

// What happened to a job that is over, where its ranks cannot know it.
EndReason trouble_of(const std::string& word) {
  if (word == "NODE_FAIL" || word == "BOOT_FAIL") return EndReason::node_lost("Slurm");
  if (word == "PREEMPTED") return EndReason::preempted("Slurm");
  if (word == "TIMEOUT" || word == "DEADLINE") return EndReason::time_limit_of("Slurm");
  if (word == "OUT_OF_MEMORY") return EndReason::memory_limit_of("Slurm");
  if (word == "CANCELLED") return EndReason::cancelled_outside("Slurm");
  return {};
}

class SlurmJob : public RemoteJob {
 public:
  SlurmJob(const AttemptFolder& folder, SlurmTools tools, std::string number)
      : folder_(folder), tools_(std::move(tools)), number_(std::move(number)) {}

  std::string name() const override { return "Slurm job " + number_; }

  RemoteState look() override {
    const auto state = tools_.state_of(number_);
    if (!state) return told_by_accounts();
    if (state->standing == RemoteStanding::kOver)
      return {.standing = RemoteStanding::kOver, .trouble = trouble_of(state->word)};
    return {.standing = state->standing,
            .where = state->nodes,
            .waits_for = state->reason == "None" ? "" : state->reason};
  }

  void cancel(const std::vector<int>& /*lost*/) override { tools_.cancel(number_); }

 private:
  // Slurm forgets a job minutes after its end; its accounts, where they are kept, do not.
  RemoteState told_by_accounts() const {
    const auto kept = tools_.accounted_end_of(number_);
    if (!kept.ok()) {
      report_news(
          folder_, "forgotten",
          fmt::format("{} is not known to Slurm any more, and its accounts (sacct) do not tell how it ended: "
                      "{}; its ranks' own records count alone",
                      name(), kept.error().why));
      return {.standing = RemoteStanding::kOver};
    }
    report_news(folder_, "accounted",
                fmt::format("{} is not known to Slurm any more; its accounts (sacct) say {}", name(),
                            kept.value().word));
    return {.standing = RemoteStanding::kOver, .trouble = trouble_of(kept.value().word)};
  }

  const AttemptFolder& folder_;
  SlurmTools tools_;
  std::string number_;
};

// The number is noted once the scheduler has given it; until then an attempt is found by its name.
std::optional<std::string> noted_number(const AttemptFolder& folder) {
  const auto kept = base::read_file(number_file(folder), 64);
  if (!kept.ok()) return std::nullopt;
  return std::string(base::trimmed(kept.value()));
}

// A job of which its ranks have told, and Slurm knows nothing: it has forgotten it.
bool has_run(const AttemptFolder& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder.node_place(0), ignored) ||
         std::filesystem::exists(folder.node_end(0), ignored);
}

Result<std::optional<NotHandedIn>> hand_in_to_slurm(const AttemptFolder& folder, const Plan& plan,
                                                    const std::string& program, const SlurmTools& tools,
                                                    bool may_be_there) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder.token(), ignored)) TRY(prepare_nodes(folder));
  TRY(base::write_file(folder.path / "slurm.sh", batch_script(folder, plan, program)));
  const auto note = [&](const std::string& number) { return base::write_file(number_file(folder), number); };
  const HandingIn steps{.scheduler = "Slurm",
                        .is_there = [&]() -> Result<bool> {
                          const auto number = TRY(tools.number_of(slurm_job_name(plan)));
                          if (number) TRY(note(*number));
                          return number.has_value();
                        },
                        .submit = [&]() -> Result<void> { return note(TRY(tools.submit(folder, plan))); },
                        .pause = pause_a_second};
  return hand_in(folder, steps, may_be_there);
}

}  // namespace

Result<RemoteEnd> run_slurm_attempt(const AttemptFolder& folder, const Plan& plan, const std::string& program,
                                    bool is_adopted) {
  const SlurmTools tools(plan.slurm->tools);
  auto number = is_adopted ? noted_number(folder) : std::nullopt;
  if (!number && is_adopted && has_run(folder))
    return Error{"cannot find the attempt again", slurm_job_name(plan), "nobody noted its number", ""};
  if (!number) {
    if (const auto why_not = TRY(hand_in_to_slurm(folder, plan, program, tools, is_adopted)))
      return RemoteEnd{.status = kNotHandedIn, .reason = why_not->reason, .was_asked = why_not->was_asked};
    number = noted_number(folder);
  }
  if (!number) return Error{"cannot read the attempt's number", number_file(folder).string(), "", ""};
  report_news(folder, is_adopted ? "found again" : "handed in", "Slurm job " + *number);
  SlurmJob job(folder, tools, *number);
  return follow_to_the_end(folder, plan, job);
}

}  // namespace lockstep::service
