// The processes of a replay: one run from the start, frozen into images now and then, or some restored from
// images.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/finding.h"
#include "replay/checkpoint/criu.h"
#include "replay/checkpoint/image.h"
#include "replay/checkpoint/orders.h"
#include "replay/subject.h"

namespace lockstep::replay {

// Where a replay's messages and output go. `tell` may be called in a sandbox, that is in a child process.
struct Output {
  std::function<void(std::string_view)> tell;               // lines for the user
  std::function<void(const model::Verdict&)> show_verdict;  // on a replay that differs
  std::function<void(std::string_view)> on_out;             // what a process in a sandbox prints
  std::function<void(std::string_view)> on_err;
};

// The images that the user names, which must be of this rank.
Result<std::vector<checkpoint::Image>> images_for(const Subject& subject,
                                                  const std::filesystem::path& folder);

// Runs the rank from its start, in `folder`. If images are wanted and cannot be made it says why and goes on
// without. Returns the program's status.
Result<int> run_from_start(const Subject& subject, const Request& request, std::uint64_t from,
                           const checkpoint::Orders& orders, const std::filesystem::path& folder,
                           const Output& output);

// A process to restore from an image, and where its output goes.
struct Restored {
  checkpoint::Image image;
  std::filesystem::path folder;  // of its own recording, which begins as a copy of the image's
  checkpoint::Orders orders;
  std::function<void(std::string_view)> on_out;
  std::function<void(std::string_view)> on_err;
  std::string who = {};  // "copy 2: ", before messages about it
  bool is_silent = false;
};

// All at once. Returns each program's status.
std::vector<Result<int>> run_restored(const checkpoint::Criu& criu, const std::vector<Restored>& copies,
                                      const Request& request, const Output& output);

}  // namespace lockstep::replay
