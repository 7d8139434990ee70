#include "cli/replay_bisect.h"

#include <fmt/format.h>

#include "base/process/environment.h"
#include "base/process/foreground.h"
#include "cli/replay_travel.h"
#include "replay/stop.h"
#include "replay/turning_step.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kParameters = "parameters";
constexpr int kCannotBeRun = 126;  // and above: no such program, or a signal

class Bisection {
 public:
  Bisection(const ReplaySubject& subject, const ReplayRequest& request,
            const std::vector<checkpoint::Image>& images, std::optional<checkpoint::Criu> criu,
            Terminal& terminal)
      : subject_(subject), request_(request), images_(images), criu_(std::move(criu)), terminal_(terminal) {}

  Result<bool> holds(std::uint64_t step) {
    const ReplayFolder folder = TRY(ReplayFolder::make(std::nullopt));
    ++replays_;
    const auto image = criu_ ? checkpoint::nearest_image(images_, step) : std::nullopt;
    TRY(image ? go_from(*image, step, folder.path()) : go_from_start(step, folder.path()));
    const auto stop = replay::read_stop(folder.path());
    if (!stop) {
      return Error{"cannot bisect", "",
                   fmt::format("the replay came to its end before that of step {}", step),
                   "give '--to-step STEP': the last step to ask at"};
    }
    if (stop->why == replay::Stop::Why::kFailed) {
      return Error{"cannot ask", request_.predicate, stop->error,
                   "a Python expression over 'parameters', a dictionary of tensors by name, and 'step'"};
    }
    const bool answer = request_.bisect_command.empty() ? stop->why == replay::Stop::Why::kHolds
                                                        : TRY(command_fails(step, folder.path()));
    terminal_.tell(
        fmt::format("lockstep: end of step {} ({}): it {}\n", step,
                    image ? fmt::format("from the image of step {}", image->facts.step) : "from the start",
                    answer ? "holds" : "does not hold"));
    return answer;
  }

  int replays() const { return replays_; }

 private:
  replay::Orders orders(std::uint64_t step, const fs::path& recording) const {
    const bool saves = !request_.bisect_command.empty();
    return {.to_step = step,
            .predicate = request_.predicate,
            .only_asks = true,
            .saves_parameters_to = saves ? recording / kParameters : fs::path()};
  }

  Result<int> go_from(const checkpoint::Image& image, std::uint64_t step, const fs::path& folder) const {
    const auto drop = [](std::string_view) {};
    return run_restored(*criu_,
                        {{.image = image,
                          .folder = folder,
                          .orders = orders(step, image.facts.recording),
                          .on_out = drop,
                          .on_err = drop,
                          .is_silent = true}},
                        request_, terminal_)
        .front();
  }

  Result<int> go_from_start(std::uint64_t step, const fs::path& folder) const {
    TRY(replay::write_orders(folder, orders(step, folder)));
    const checkpoint::Program program = program_of(subject_, request_, 0, folder);
    return process::run_in_foreground(program.argv, program.environment,
                                      {.folder = program.folder, .is_silent = true});
  }

  Result<bool> command_fails(std::uint64_t step, const fs::path& folder) const {
    std::vector<std::string> environment = process::own_environment();
    environment.push_back(fmt::format("LOCKSTEP_STEP={}", step));
    environment.push_back(fmt::format("LOCKSTEP_PARAMETERS={}", (folder / kParameters).string()));
    const int status =
        TRY(process::run_in_foreground({"/bin/sh", "-c", request_.bisect_command}, environment, {}));
    if (status < kCannotBeRun) return status != 0;
    return Error{"cannot bisect", request_.bisect_command, fmt::format("its status is {}", status),
                 "0 where all is well, 1 to 125 where it is not"};
  }

  const ReplaySubject& subject_;
  const ReplayRequest& request_;
  const std::vector<checkpoint::Image>& images_;
  std::optional<checkpoint::Criu> criu_;  // none: every replay begins at the start
  Terminal& terminal_;
  int replays_ = 0;
};

Result<std::optional<checkpoint::Criu>> criu_for(const std::vector<checkpoint::Image>& images) {
  if (images.empty()) return std::optional<checkpoint::Criu>();
  return std::optional<checkpoint::Criu>(TRY(checkpoint::Criu::find()));
}

}  // namespace

Result<ExitStatus> bisect_by_partial_replays(const ReplaySubject& subject, const ReplayRequest& request,
                                             const std::vector<checkpoint::Image>& images,
                                             Terminal& terminal) {
  const std::uint64_t last = request.to_step.value_or(replay::extent_of(subject.rank(), subject.job).steps);
  Bisection bisection(subject, request, images, TRY(criu_for(images)), terminal);
  const auto found = TRY(replay::turning_step(request.from_step.value_or(0), last,
                                              [&](std::uint64_t step) { return bisection.holds(step); }));
  const std::string& asked = request.predicate.empty() ? request.bisect_command : request.predicate;
  const std::string effort = fmt::format("{} partial replays", bisection.replays());
  if (!found) {
    terminal.tell(
        fmt::format("lockstep: it does not hold at the end of step {} ({}): {}\n", last, effort, asked));
    return ExitStatus::kFindings;
  }
  terminal.tell(
      fmt::format("lockstep: it holds first at the end of step {} ({}): {}\n", *found, effort, asked));
  return ExitStatus::kNothingFound;
}

}  // namespace lockstep::cli
