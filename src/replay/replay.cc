#include "replay/replay.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/descriptor.h"
#include "replay/bisect.h"
#include "replay/checkpoint/orders.h"
#include "replay/compare/verdict.h"
#include "replay/extent.h"
#include "replay/subject.h"
#include "report/findings_json.h"

namespace lockstep::replay {
namespace {

namespace fs = std::filesystem;

constexpr int kEqual = 0;  // exit statuses
constexpr int kDiffers = 1;

// A user may leave a debugger at any time; a program that was changed on purpose should not end early.
bool may_end_early(const Request& request, int status, const std::optional<checkpoint::Stop>& stop) {
  return status != 0 || stop || request.break_at || (!request.command.empty() && !request.has_changes);
}

void describe_equal(const Judgement& judgement, const std::string& who, const Output& output) {
  if (!judgement.agreement.empty()) output.tell(fmt::format("lockstep: {}{}\n", who, judgement.agreement));
  for (const std::string& limit : judgement.verdict.limits)
    output.tell(fmt::format("lockstep: {}{}\n", who, limit));
}

void describe_difference(const Request& request, const model::Verdict& verdict, const std::string& who,
                         const Output& output) {
  if (request.has_changes) output.tell(fmt::format("lockstep: {}the first thing that changes:\n", who));
  output.tell("\n");
  output.show_verdict(verdict);
}

struct ReplayEnd {
  int status = 0;          // of the program
  std::uint64_t from = 0;  // steps after which the script resumed; 0: it began, or comes from an image
  fs::path folder;
  std::string who = {};  // "copy 2: ", before messages about it
};

// Writes findings.json. The status: 1 when it ended well and differs, else the program's own.
Result<int> conclude_replay(const Subject& subject, const Request& request, const ReplayEnd& end,
                            const Output& output) {
  const auto stop = checkpoint::read_stop(end.folder);
  const record::Payload recorded = end.from == 0 ? subject.rank() : from_step(subject.rank(), end.from);
  const Judgement judgement = judge(recorded, {.recording = subject.recording,
                                               .folder = end.folder,
                                               .may_end_early = may_end_early(request, end.status, stop)});
  const model::Verdict& verdict = judgement.verdict;
  TRY(base::write_file(end.folder / "findings.json", report::encode_findings(verdict)));
  if (verdict.findings.empty()) {
    describe_equal(judgement, end.who, output);
  } else {
    describe_difference(request, verdict, end.who, output);
  }
  if (request.to_step && !stop)
    output.tell(fmt::format("lockstep: {}the replay came to its end before that step\n", end.who));
  return end.status == 0 && !verdict.findings.empty() && !request.has_changes ? kDiffers : end.status;
}

// Found: 0; it holds nowhere: 1, or the program's own status when it failed.
Result<int> describe_where_it_holds(const Request& request, int status,
                                    const std::optional<checkpoint::Stop>& stop, const Output& output) {
  if (stop && stop->why == checkpoint::Stop::Why::kFailed) {
    return Error{"cannot ask", request.predicate, stop->error,
                 "a Python expression over 'parameters', a dictionary of tensors by name, and 'step'"};
  }
  if (stop && stop->why == checkpoint::Stop::Why::kHolds) {
    output.tell(
        fmt::format("lockstep: it holds first at the end of step {}: {}\n", stop->step, request.predicate));
    return kEqual;
  }
  output.tell(fmt::format("lockstep: it holds at the end of no step: {}\n", request.predicate));
  return status == 0 ? kDiffers : status;
}

// After how many steps the script resumes; 0: it begins anew.
Result<std::uint64_t> first_step(const Request& request, const Subject& subject, const Output& output) {
  const std::uint64_t begin = record::window_begin(subject.rank());
  if (request.from_step) {
    if (*request.from_step >= begin) return *request.from_step;
    return Error{"wrong value for '--from-step'", std::to_string(*request.from_step),
                 fmt::format("the recording begins at the end of step {}", begin),
                 "the number of steps that had ended at the checkpoint from which the script resumes"};
  }
  if (begin == 0) return std::uint64_t{0};
  const auto checkpoint = last_checkpoint(subject.rank(), subject.job);
  if (!checkpoint) {
    return Error{
        "cannot replay from the start", "",
        fmt::format("what came before the end of step {} was not kept, and the job saved no "
                    "checkpoint since",
                    begin),
        "give '--from-step STEP' and, behind '--', a command that goes on with the job's state after it"};
  }
  output.tell(fmt::format("lockstep: the script must resume from what the job saved after step {}: {}\n",
                          checkpoint->step, checkpoint->path));
  return checkpoint->step;
}

Result<int> replay_from_start(const Subject& subject, const Request& request, const Output& output) {
  const ReplayFolder folder = TRY(ReplayFolder::make(request.out));
  const std::uint64_t from = TRY(first_step(request, subject, output));
  output.tell(fmt::format("lockstep: replaying rank {} of {}, {}\n", subject.number, subject.world_size,
                          in_words(extent_of(subject.rank(), subject.job))));
  const bool bisects_later = request.bisects() && request.image_every != 0;
  const checkpoint::Orders orders{.image_every = request.image_every,
                                  .to_step = request.to_step.value_or(0),
                                  .predicate = bisects_later ? "" : request.predicate,
                                  .break_at = recorder_breakpoint(request)};
  const int status = TRY(run_from_start(subject, request, from, orders, folder.path(), output));
  const int end = TRY(
      conclude_replay(subject, request, {.status = status, .from = from, .folder = folder.path()}, output));
  if (request.image_every != 0 && !fs::exists(folder.path() / "images")) {
    output.tell("lockstep: there are no images: no step of the program was seen to end\n");
  }
  if (bisects_later) {
    const auto images = images_for(subject, folder.path());
    return bisect_by_partial_replays(subject, request,
                                     images.ok() ? images.value() : std::vector<checkpoint::Image>(), output);
  }
  if (!request.bisects()) return end;
  return describe_where_it_holds(request, status, checkpoint::read_stop(folder.path()), output);
}

// Appends a copy's output to its file.
Result<std::function<void(std::string_view)>> into_file(const fs::path& path) {
  const auto file =
      std::make_shared<process::Descriptor>(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!file->is_open()) return base::error_from_errno("cannot write", path);
  return std::function<void(std::string_view)>(
      [file](std::string_view bytes) { (void)base::write_all(file->get(), bytes); });
}

Restored restored_from(const checkpoint::Image& image, const Request& request, const fs::path& folder,
                       const Output& output) {
  return {.image = image,
          .folder = folder,
          .orders = {.to_step = request.to_step.value_or(0),
                     .patch = request.patch,
                     .break_at = recorder_breakpoint(request)},
          .on_out = output.on_out,
          .on_err = output.on_err};
}

// Each with its own folder, and a file there for its output.
Result<std::vector<Restored>> copies_of(const checkpoint::Image& image, const Request& request,
                                        const fs::path& folder, const Output& output) {
  if (request.copies == 0) return std::vector<Restored>{restored_from(image, request, folder, output)};
  std::vector<Restored> copies;
  for (int number = 1; number <= request.copies; ++number) {
    const fs::path own = folder / fmt::format("copy_{}", number);
    std::error_code fault;
    fs::create_directory(own, fault);
    Restored copy = restored_from(image, request, own, output);
    copy.orders.copy = number;
    copy.who = fmt::format("copy {}: ", number);
    copy.on_out = copy.on_err = TRY(into_file(own / "output.txt"));
    copies.push_back(std::move(copy));
  }
  return copies;
}

Result<int> replay_from_image(const Subject& subject, const Request& request, const Output& output) {
  const std::vector<checkpoint::Image> images = TRY(images_for(subject, *request.images));
  const std::uint64_t step = step_to_restore(request).value_or(0);
  const auto image = checkpoint::nearest_image(images, step);
  if (!image) {
    return Error{"no image to restore", request.images->string(),
                 fmt::format("the first one is of step {}", images.front().facts.step),
                 "go to that step or a later one, or leave '--images' away"};
  }
  const checkpoint::Criu criu = TRY(checkpoint::Criu::find());
  const ReplayFolder folder = TRY(ReplayFolder::make(request.out));
  const auto begin = fs::file_time_type::clock::now();
  const std::vector<Restored> copies = TRY(copies_of(*image, request, folder.path(), output));
  const std::vector<Result<int>> ends = run_restored(criu, copies, request, output);
  int worst = kEqual;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const int status = TRY(Result<int>(ends[i]));
    if (const auto seconds = checkpoint::seconds_until_stop(copies[i].folder, begin)) {
      output.tell(fmt::format("lockstep: {}at the end of step {} after {:.2f} s\n", copies[i].who,
                              request.to_step.value_or(0), *seconds));
    }
    const int end = TRY(conclude_replay(
        subject, request, {.status = status, .folder = copies[i].folder, .who = copies[i].who}, output));
    worst = std::max(worst, end);
  }
  return worst;
}

}  // namespace

Result<int> replay_rank(const Request& request, const Output& output) {
  const Subject subject = TRY(find_subject(request));
  if (const auto warning = warning_of_stranger(subject, request, ::geteuid())) output.tell(*warning);
  if (request.bisects() && request.images)
    return bisect_by_partial_replays(subject, request, TRY(images_for(subject, *request.images)), output);
  if (request.images) return replay_from_image(subject, request, output);
  if (!request.bisect_command.empty() && request.image_every == 0)
    return bisect_by_partial_replays(subject, request, {}, output);
  return replay_from_start(subject, request, output);
}

}  // namespace lockstep::replay
