#include "isolate/reduce.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/launchers/find.h"
#include "isolate/launchers/append.h"
#include "isolate/launchers/launchers.h"
#include "isolate/split_for_one.h"

namespace lockstep::isolate {
namespace {

using config::LauncherKind;

Result<void> reduce_launched(LauncherKind kind, const Launched& launched, const Launch& launch,
                             Control& control) {
  switch (kind) {
    case LauncherKind::kTorchrun:
      return reduce_torchrun(launched, launch, control);
    case LauncherKind::kHorovodrun:
      return reduce_horovodrun(launched, launch, control);
    case LauncherKind::kMpirun:
      return reduce_mpirun(launched, launch, control);
    case LauncherKind::kSrun:
      return reduce_srun(launched, launch, control);
    case LauncherKind::kDeepspeed:
      return reduce_deepspeed(launched, launch, control);
    case LauncherKind::kAccelerate:
      return reduce_accelerate(launched, launch, control);
  }
  return {};
}

Launched split_at(std::span<const std::string> words, std::size_t head) {
  return {Words(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(head)), words.subspan(head)};
}

bool asks_for_ranks(std::string_view word) {
  constexpr std::string_view kAsking[] = {"--world-size",
                                          "--world_size",
                                          "--nprocs",
                                          "--num-gpus",
                                          "--num_gpus",
                                          "--gpus",
                                          "--devices",
                                          "--nodes",
                                          "--num-nodes",
                                          "--num_nodes",
                                          "--dist-url",
                                          "--dist_url",
                                          "--rank",
                                          "--tensor-model-parallel-size",
                                          "--pipeline-model-parallel-size"};
  const std::string_view name = word.substr(0, word.find('='));
  return std::ranges::find(kAsking, name) != std::end(kAsking) || word.starts_with("tcp://");
}

// The script's own arguments are the user's; what they ask for may not fit one rank.
void note_arguments(const Launch& launch, Control& control) {
  for (const std::string& word : control.command) {
    const bool is_users_own = std::ranges::find(launch.command, word) != launch.command.end();
    if (!is_users_own || !asks_for_ranks(word)) continue;
    control.notes.push_back(fmt::format(
        "The script's own argument '{}' is passed as it is, and may still ask for more than one rank.",
        word));
  }
}

}  // namespace

Result<void> reduce_inner(std::span<const std::string> words, const Launch& launch, Control& control) {
  if (words.empty()) return cannot_reduce("", "there is no program to run");
  if (const auto found = config::find_launcher(words)) {
    return reduce_launched(found->kind, split_at(words, found->head), launch, control);
  }
  if (const std::size_t end = config::words_of_wrapper(words); end > 0) {
    return reduce_wrapped(split_at(words, end), launch, control);
  }
  const bool is_launched = !control.launcher.empty();
  if (!is_launched) return reduce_plain(words, launch, control);
  append(control.command, words);
  return {};
}

Result<Control> reduce_to_one_rank(const Launch& launch) {
  Control control;
  TRY(reduce_inner(launch.command, launch, control));
  note_arguments(launch, control);
  return control;
}

}  // namespace lockstep::isolate
