#include "diagnose/own_command.h"

#include <optional>

#include <fmt/format.h>

#include "base/process/foreground.h"
#include "record/recording.h"

namespace lockstep::diagnose {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kToFillIn = "lockstep isolate -- COMMAND";  // in the catalogue

struct OwnCommand {
  std::string against;
  std::string command;
};

std::optional<OwnCommand> own_command_in(const std::vector<fs::path>& paths) {
  for (const fs::path& path : paths) {
    std::error_code fault;
    if (path == "-" || !fs::is_directory(path, fault)) continue;
    const auto recording = record::open_recording(path);
    if (!recording.ok() || !recording.value().manifest || recording.value().manifest->command.empty())
      continue;
    return OwnCommand{.against = process::typed_in_a_shell({"--against=" + path.string()}),
                      .command = process::typed_in_a_shell(recording.value().manifest->command)};
  }
  return std::nullopt;
}

// There alone: other texts hold names of files, and words of others.
void fill_in(const OwnCommand& own, std::string& text) {
  const std::size_t at = text.find(kToFillIn);
  if (at == std::string::npos) return;
  text.replace(at, kToFillIn.size(), fmt::format("lockstep isolate {} -- {}", own.against, own.command));
}

}  // namespace

void fill_in_own_command(const std::vector<fs::path>& paths, model::Verdict& verdict) {
  const auto own = own_command_in(paths);
  if (!own) return;
  for (model::Finding& finding : verdict.findings) {
    for (model::Fix& fix : finding.fixes) {
      for (std::string& command : fix.commands) fill_in(*own, command);
    }
  }
  for (std::string& limit : verdict.limits) fill_in(*own, limit);
}

}  // namespace lockstep::diagnose
