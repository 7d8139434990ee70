#include "cli/replay_travel.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/foreground.h"
#include "replay/checkpoint/keeper.h"
#include "replay/checkpoint/rooms.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kMegabyte = 1e6;

std::string where_it_stands(const ReplayRequest& request) {
  return request.break_at ? fmt::format("before {}", replay::in_words(*request.break_at))
                          : "because of a signal";
}

checkpoint::Telling telling_to(Terminal& terminal, const ReplayRequest& request, const std::string& who) {
  return {.on_image =
              [&terminal](std::uint64_t step, double seconds, std::uint64_t bytes) {
                terminal.tell(fmt::format("lockstep: image of step {}: {:.2f} s, {:.0f} MB\n", step, seconds,
                                          static_cast<double>(bytes) / kMegabyte));
              },
          .on_no_image =
              [&terminal](std::uint64_t step, const Error& why) {
                terminal.tell(fmt::format("lockstep: no image of step {}: {}; going on without images\n",
                                          step, why.why));
              },
          .on_restored =
              [&terminal, who](std::uint64_t step, double seconds) {
                terminal.tell(fmt::format("lockstep: {}step {} restored from its image in {:.2f} s\n", who,
                                          step, seconds));
              },
          .on_stop =
              [&terminal, &request, who](pid_t outer, pid_t inner) {
                terminal.tell(
                    fmt::format("lockstep: {0}stopped {1}: process {2}\n"
                                "  look at it:  nsenter --target {2} --mount --pid gdb -p {3}\n"
                                "  let it go on: kill -CONT {2}\n",
                                who, where_it_stands(request), outer, inner));
              }};
}

// An error: it was not begun.
Result<int> run_frozen_now_and_then(const checkpoint::Program& program, const ReplaySubject& subject,
                                    const ReplayRequest& request, const replay::Orders& orders,
                                    const fs::path& folder, Terminal& terminal) {
  const checkpoint::Freezing freezing{.criu = TRY(checkpoint::Criu::find()),
                                      .images = folder / "images",
                                      .recording = folder,
                                      .replayed = subject.recording,
                                      .rank = subject.number,
                                      .orders = orders};
  const checkpoint::Telling telling = telling_to(terminal, request, "");
  return checkpoint::run_rooms({{.inside =
                                     [&](const checkpoint::Room& room, const checkpoint::Outlets& outlets) {
                                       return checkpoint::keep_program(room, outlets, program, freezing,
                                                                       telling);
                                     },
                                 .on_out = into_stream(STDOUT_FILENO),
                                 .on_err = into_stream(STDERR_FILENO)}})
      .front();
}

Result<int> run_plainly(const checkpoint::Program& program, const ReplayRequest& request,
                        Terminal& terminal) {
  process::ForegroundOptions options{.folder = program.folder};
  if (request.break_at) {
    options.on_stop = [&](pid_t pid) {
      terminal.tell(fmt::format(
          "lockstep: stopped {0}: process {1}\n  look at it:  gdb -p {1}\n  let it go on: kill -CONT {1}\n",
          where_it_stands(request), pid));
    };
  }
  return process::run_in_foreground(program.argv, program.environment, options);
}

Result<void> begin_recording(const Restored& copy) {
  std::error_code fault;
  fs::copy(copy.image.folder / "recording", copy.folder,
           fs::copy_options::recursive | fs::copy_options::overwrite_existing, fault);
  if (fault) return Error{"cannot copy the image's recording", copy.folder.string(), fault.message(), ""};
  return replay::write_orders(copy.folder, copy.orders);
}

}  // namespace

std::function<void(std::string_view)> into_stream(int stream) {
  return [stream](std::string_view bytes) { (void)base::write_all(stream, bytes); };
}

Result<std::vector<checkpoint::Image>> images_for(const ReplaySubject& subject, const fs::path& folder) {
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

Result<int> run_from_start(const ReplaySubject& subject, const ReplayRequest& request, std::uint64_t from,
                           const replay::Orders& orders, const fs::path& folder, Terminal& terminal) {
  const checkpoint::Program program = program_of(subject, request, from, folder);
  if (orders.image_every != 0) {
    TRY(replay::write_orders(folder, orders));
    Result<int> status = run_frozen_now_and_then(program, subject, request, orders, folder, terminal);
    if (status.ok()) return status;
    const Error& error = status.error();
    terminal.tell(fmt::format("lockstep: no process images: {}{}{}; going on without\n", error.where,
                              error.where.empty() ? "" : ": ", error.why));
    if (!error.hint.empty()) terminal.tell(fmt::format("  {}\n", error.hint));
  }
  replay::Orders without = orders;
  without.image_every = 0;
  TRY(replay::write_orders(folder, without));
  return run_plainly(program, request, terminal);
}

std::vector<Result<int>> run_restored(const checkpoint::Criu& criu, const std::vector<Restored>& copies,
                                      const ReplayRequest& request, Terminal& terminal) {
  std::vector<checkpoint::Occupant> occupants;
  for (const Restored& copy : copies) {
    checkpoint::Telling telling = telling_to(terminal, request, copy.who);
    if (copy.is_silent) telling.on_restored = [](std::uint64_t, double) {};
    occupants.push_back(
        {.inside =
             [&criu, &copy, telling](const checkpoint::Room& room, const checkpoint::Outlets& outlets) {
               return checkpoint::keep_image(room, outlets, criu, copy.image, copy.folder, telling);
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
  return checkpoint::run_rooms(occupants);
}

}  // namespace lockstep::cli
