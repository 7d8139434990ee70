// The ways a replay runs: from the start, frozen now and then; or from images of one that did.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/replay_subject.h"
#include "cli/terminal.h"
#include "replay/checkpoint/criu.h"
#include "replay/checkpoint/image.h"
#include "replay/orders.h"

namespace lockstep::cli {

// The images that the user names, which must be of this rank.
Result<std::vector<checkpoint::Image>> images_for(const ReplaySubject& subject,
                                                  const std::filesystem::path& folder);

// The rank from its start, in `folder`, with its orders. Where images are wanted and cannot be made it says
// why and goes on without. The program's status.
Result<int> run_from_start(const ReplaySubject& subject, const ReplayRequest& request, std::uint64_t from,
                           const replay::Orders& orders, const std::filesystem::path& folder,
                           Terminal& terminal);

// What a process prints, for one of our own streams.
std::function<void(std::string_view)> into_stream(int stream);

// A process made from an image, with what becomes of its output.
struct Restored {
  checkpoint::Image image;
  std::filesystem::path folder;  // of its own recording, which begins as that of the image
  replay::Orders orders;
  std::function<void(std::string_view)> on_out;
  std::function<void(std::string_view)> on_err;
  std::string who = {};  // before what is said of it
  bool is_silent = false;
};

// All at once. For each the program's status.
std::vector<Result<int>> run_restored(const checkpoint::Criu& criu, const std::vector<Restored>& copies,
                                      const ReplayRequest& request, Terminal& terminal);

}  // namespace lockstep::cli
