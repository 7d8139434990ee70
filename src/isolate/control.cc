#include "isolate/control.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/process/foreground.h"

namespace lockstep::isolate {
namespace {

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

std::string line(std::string_view label, const std::string& text) {
  return fmt::format("  {:<13}{}\n", label, base::escape_for_terminal(text));
}

std::string change_in_words(const Change& change, const Environment& before) {
  const auto was = before.find(change.name);
  if (!change.value) return fmt::format("without {}", change.name);
  const std::string now = fmt::format("{}={}", change.name, process::typed_in_a_shell({*change.value}));
  return was == before.end() ? now
                             : fmt::format("{} (was {})", now, process::typed_in_a_shell({was->second}));
}

}  // namespace

Result<Control> reduce_to_one_rank(const Launch& launch) {
  Control control;
  TRY(launchers::reduce_command(launch.command, launch, control));
  note_arguments(launch, control);
  return control;
}

std::string describe(const Control& control, const Environment& before) {
  std::string text =
      fmt::format("control run of one rank alone ({})\n", base::escape_for_terminal(control.launcher));
  text += line("command", process::typed_in_a_shell(control.command));
  if (!control.left_out.empty()) text += line("left out", process::typed_in_a_shell(control.left_out));
  for (const Change& change : control.changes) text += line("environment", change_in_words(change, before));
  for (const std::string& note : control.notes) text += line("note", note);
  return text;
}

}  // namespace lockstep::isolate
