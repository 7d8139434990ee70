#include "replay/bisect.h"

#include <fmt/format.h>

#include "base/process/environment.h"
#include "base/process/foreground.h"
#include "replay/checkpoint/orders.h"

namespace lockstep::replay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kParameters = "parameters";
constexpr int kCannotBeRun = 126;  // and above: no such program, or a signal
constexpr int kFound = 0;          // exit statuses of a bisection
constexpr int kHoldsNowhere = 1;

class Bisection {
 public:
  Bisection(const Subject& subject, const Request& request, const std::vector<checkpoint::Image>& images,
            std::optional<checkpoint::Criu> criu, const Output& output)
      : subject_(subject), request_(request), images_(images), criu_(std::move(criu)), output_(output) {}

  Result<bool> holds(std::uint64_t step) {
    const ReplayFolder folder = TRY(ReplayFolder::make(std::nullopt));
    ++replays_;
    const auto image = criu_ ? checkpoint::nearest_image(images_, step) : std::nullopt;
    TRY(image ? go_from(*image, step, folder.path()) : go_from_start(step, folder.path()));
    const auto stop = checkpoint::read_stop(folder.path());
    if (!stop) {
      return Error{"cannot bisect", "",
                   fmt::format("the replay came to its end before that of step {}", step),
                   "give '--to-step STEP': the last step to ask at"};
    }
    if (stop->why == checkpoint::Stop::Why::kFailed) {
      return Error{"cannot ask", request_.predicate, stop->error,
                   "a Python expression over 'parameters', a dictionary of tensors by name, and 'step'"};
    }
    const bool answer = request_.bisect_command.empty() ? stop->why == checkpoint::Stop::Why::kHolds
                                                        : TRY(command_fails(step, folder.path()));
    output_.tell(
        fmt::format("lockstep: end of step {} ({}): it {}\n", step,
                    image ? fmt::format("from the image of step {}", image->facts.step) : "from the start",
                    answer ? "holds" : "does not hold"));
    return answer;
  }

  int replays() const { return replays_; }

 private:
  checkpoint::Orders orders(std::uint64_t step, const fs::path& recording) const {
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
                        request_, output_)
        .front();
  }

  Result<int> go_from_start(std::uint64_t step, const fs::path& folder) const {
    TRY(checkpoint::write_orders(folder, orders(step, folder)));
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

  const Subject& subject_;
  const Request& request_;
  const std::vector<checkpoint::Image>& images_;
  std::optional<checkpoint::Criu> criu_;  // none: every replay begins at the start
  const Output& output_;
  int replays_ = 0;
};

Result<std::optional<checkpoint::Criu>> criu_for(const std::vector<checkpoint::Image>& images) {
  if (images.empty()) return std::optional<checkpoint::Criu>();
  return std::optional<checkpoint::Criu>(TRY(checkpoint::Criu::find()));
}

}  // namespace

Result<std::optional<std::uint64_t>> turning_step(std::uint64_t from, std::uint64_t last,
                                                  const std::function<Result<bool>(std::uint64_t)>& holds) {
  if (last <= from || !TRY(holds(last))) return std::optional<std::uint64_t>();
  while (last - from > 1) {
    const std::uint64_t middle = from + (last - from) / 2;
    if (TRY(holds(middle))) {
      last = middle;
    } else {
      from = middle;
    }
  }
  return std::optional<std::uint64_t>(last);
}

Result<int> bisect_by_partial_replays(const Subject& subject, const Request& request,
                                      const std::vector<checkpoint::Image>& images, const Output& output) {
  const std::uint64_t last = request.to_step.value_or(extent_of(subject.rank(), subject.job).steps);
  Bisection bisection(subject, request, images, TRY(criu_for(images)), output);
  const auto found = TRY(turning_step(request.from_step.value_or(0), last,
                                      [&](std::uint64_t step) { return bisection.holds(step); }));
  const std::string& asked = request.predicate.empty() ? request.bisect_command : request.predicate;
  const std::string effort = fmt::format("{} partial replays", bisection.replays());
  if (!found) {
    output.tell(
        fmt::format("lockstep: it does not hold at the end of step {} ({}): {}\n", last, effort, asked));
    return kHoldsNowhere;
  }
  output.tell(
      fmt::format("lockstep: it holds first at the end of step {} ({}): {}\n", *found, effort, asked));
  return kFound;
}

}  // namespace lockstep::replay
