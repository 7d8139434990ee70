#include "replay/checkpoint/criu.h"

#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "base/file.h"
#include "base/lines.h"
#include "base/process/environment.h"
#include "base/process/foreground.h"
#include "base/process/spawn.h"

namespace lockstep::checkpoint {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaxLogBytes = 64 << 20;
constexpr std::string_view kHint =
    "CRIU 4.1 or later, in PATH or named by LOCKSTEP_CRIU, and the rights of root are needed for images";

std::string find_program() {
  if (const char* named = std::getenv("LOCKSTEP_CRIU"); named != nullptr && *named != '\0') return named;
  const char* path = std::getenv("PATH");
  return process::program_in(fmt::format("{}:/usr/local/sbin:/usr/sbin", path == nullptr ? "" : path),
                             "criu");
}

bool runs_well(const std::vector<std::string>& argv) {
  const auto status = process::run_in_foreground(argv, process::own_environment(), {.is_silent = true});
  return status.ok() && status.value() == 0;
}

Error because(const std::string& what, const std::filesystem::path& log) {
  const auto text = base::read_file(log, kMaxLogBytes);
  const std::string why = text.ok() ? error_in(text.value()) : "";
  return Error{what, "", why.empty() ? "CRIU does not say why" : why, log.string()};
}

}  // namespace

std::string error_in(std::string_view log) {
  std::string first;
  while (!log.empty() && first.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    const std::size_t error = line.find("Error (");
    const std::size_t text = error == std::string_view::npos ? error : line.find("): ", error);
    if (text == std::string_view::npos || line.find("rlimit:") != std::string_view::npos) continue;
    first = line.substr(text + 3);
  }
  return first;
}

Result<Criu> Criu::find() {
  const std::string program = find_program();
  if (program.empty()) return Error{"no process images", "", "there is no criu in PATH", std::string(kHint)};
  const auto said = process::capture({.argv = {program, "check"}, .environment = process::own_environment()},
                                     20s, std::size_t{64} << 10);
  if (!said.ok()) return Error{"no process images", program, said.error().why, std::string(kHint)};
  if (said.value().out.find("Looks good") == std::string::npos) {
    const std::string why = error_in(said.value().err);
    return Error{"no process images", program, why.empty() ? "'criu check' fails" : why, std::string(kHint)};
  }
  return Criu(program);
}

Result<void> Criu::dump(pid_t pid, const std::filesystem::path& folder) const {
  const bool is_done =
      runs_well({program_, "dump", "--tree", std::to_string(pid), "--images-dir", folder.string(),
                 "--log-file", "dump.log", "--leave-running", "--network-lock", "skip"});
  if (is_done) return {};
  return because("cannot freeze the process", folder / "dump.log");
}

Result<void> Criu::restore(const std::filesystem::path& folder, const std::string& log,
                           const std::vector<Instead>& instead) const {
  std::vector<std::string> argv{
      program_, "restore", "--restore-detached", "--images-dir", folder.string(), "--log-file", log};
  for (const Instead& one : instead) {
    argv.insert(argv.end(), {"--inherit-fd", fmt::format("fd[{}]:{}", one.descriptor, one.known_as)});
  }
  if (runs_well(argv)) {
    std::error_code ignored;
    std::filesystem::remove(folder / log, ignored);
    return {};
  }
  return because("cannot restore the image", folder / log);
}

}  // namespace lockstep::checkpoint
