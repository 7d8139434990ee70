#include "replay/processes.h"

#include <fmt/format.h>

#include "base/process/foreground.h"
#include "replay/checkpoint/sandbox.h"
#include "replay/checkpoint/supervisor.h"

namespace lockstep::replay {
namespace {

namespace fs = std::filesystem;

constexpr double kMegabyte = 1e6;

std::string where_it_stopped(const Request& request) {
  return request.break_at ? fmt::format("before {}", in_words(*request.break_at)) : "because of a signal";
}

checkpoint::ProgressEvents events_for(const Output& output, const Request& request, const std::string& who) {
  return {.on_image =
              [&output](std::uint64_t step, double seconds, std::uint64_t bytes) {
                output.tell(fmt::format("lockstep: image of step {}: {:.2f} s, {:.0f} MB\n", step, seconds,
                                        static_cast<double>(bytes) / kMegabyte));
              },
          .on_no_image =
              [&output](std::uint64_t step, const Error& why) {
                output.tell(fmt::format("lockstep: no image of step {}: {}; going on without images\n", step,
                                        why.why));
              },
          .on_restored =
              [&output, who](std::uint64_t step, double seconds) {
                output.tell(fmt::format("lockstep: {}step {} restored from its image in {:.2f} s\n", who,
                                        step, seconds));
              },
          .on_stop =
              [&output, &request, who](pid_t outer, pid_t inner) {
                output.tell(
                    fmt::format("lockstep: {0}stopped {1}: process {2}\n"
                                "  look at it:  nsenter --target {2} --mount --pid gdb -p {3}\n"
                                "  let it go on: kill -CONT {2}\n",
                                who, where_it_stopped(request), outer, inner));
              }};
}

// An error: the program was not started.
Result<int> run_with_images(const checkpoint::Program& program, const Subject& subject,
                            const Request& request, const checkpoint::Orders& orders, const fs::path& folder,
                            const Output& output) {
  const checkpoint::FreezeTarget target{.criu = TRY(checkpoint::Criu::find()),
                                        .images = folder / "images",
                                        .recording = folder,
                                        .replayed = subject.recording,
                                        .rank = subject.number,
                                        .orders = orders};
  const checkpoint::ProgressEvents events = events_for(output, request, "");
  return checkpoint::run_sandboxes(
             {{.inside =
                   [&](const checkpoint::Sandbox& sandbox, const checkpoint::OutputPipes& pipes) {
                     return checkpoint::supervise_program(sandbox, pipes, program, target, events);
                   },
               .on_out = output.on_out,
               .on_err = output.on_err}})
      .front();
}

Result<int> run_plainly(const checkpoint::Program& program, const Request& request, const Output& output) {
  process::ForegroundOptions options{.folder = program.folder};
  if (request.break_at) {
    options.on_stop = [&](pid_t pid) {
      output.tell(fmt::format(
          "lockstep: stopped {0}: process {1}\n  look at it:  gdb -p {1}\n  let it go on: kill -CONT {1}\n",
          where_it_stopped(request), pid));
    };
  }
  return process::run_in_foreground(program.argv, program.environment, options);
}

Result<void> begin_recording(const Restored& copy) {
  std::error_code fault;
  fs::copy(copy.image.folder / "recording", copy.folder,
           fs::copy_options::recursive | fs::copy_options::overwrite_existing, fault);
  if (fault) return Error{"cannot copy the image's recording", copy.folder.string(), fault.message(), ""};
  return checkpoint::write_orders(copy.folder, copy.orders);
}

}  // namespace

Result<std::vector<checkpoint::Image>> images_for(const Subject& subject, const fs::path& folder) {
  std::vector<checkpoint::Image> images = TRY(checkpoint::read_images(folder));
  for (const checkpoint::Image& image : images) {
    const checkpoint::ImageFacts& facts = image.facts;
    if (facts.rank == subject.number && facts.replayed == subject.recording) continue;
    return Error{"cannot use the images", folder.string(),
                 fmt::format("they are of rank {} of {}", facts.rank, facts.replayed.string()),
                 "name the recording and the rank they were taken of"};
  }
  return images;
}

Result<int> run_from_start(const Subject& subject, const Request& request, std::uint64_t from,
                           const checkpoint::Orders& orders, const fs::path& folder, const Output& output) {
  const checkpoint::Program program = program_of(subject, request, from, folder);
  if (orders.image_every != 0) {
    TRY(checkpoint::write_orders(folder, orders));
    Result<int> status = run_with_images(program, subject, request, orders, folder, output);
    if (status.ok()) return status;
    const Error& error = status.error();
    output.tell(fmt::format("lockstep: no process images: {}{}{}; going on without\n", error.where,
                            error.where.empty() ? "" : ": ", error.why));
    if (!error.hint.empty()) output.tell(fmt::format("  {}\n", error.hint));
  }
  checkpoint::Orders without = orders;
  without.image_every = 0;
  TRY(checkpoint::write_orders(folder, without));
  return run_plainly(program, request, output);
}

std::vector<Result<int>> run_restored(const checkpoint::Criu& criu, const std::vector<Restored>& copies,
                                      const Request& request, const Output& output) {
  std::vector<checkpoint::SandboxTask> tasks;
  for (const Restored& copy : copies) {
    checkpoint::ProgressEvents events = events_for(output, request, copy.who);
    if (copy.is_silent) events.on_restored = [](std::uint64_t, double) {};
    tasks.push_back({.inside =
                         [&criu, &copy, events](const checkpoint::Sandbox& sandbox,
                                                const checkpoint::OutputPipes& pipes) {
                           return checkpoint::supervise_restored(sandbox, pipes, criu, copy.image,
                                                                 copy.folder, events);
                         },
                     .on_out = copy.on_out,
                     .on_err = copy.on_err,
                     .has_own_network = copy.image.facts.has_gpu_memory});
  }
  for (const Restored& copy : copies) {
    if (const auto begun = begin_recording(copy); !begun.ok()) {
      std::vector<Result<int>> refused(copies.size(), begun.error());
      return refused;
    }
  }
  return checkpoint::run_sandboxes(tasks);
}

}  // namespace lockstep::replay
