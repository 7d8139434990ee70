#include "hostinfo/collect/program.h"

#include <cstdlib>
#include <unistd.h>

#include <fmt/format.h>

#include "base/process/environment.h"
#include "base/process/spawn.h"
#include "base/text_fields.h"

namespace lockstep::hostinfo {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

std::string place_of(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0 ? program : "";
  const char* const path = std::getenv("PATH");
  std::string folders = path == nullptr ? "" : path;
  folders += ":/usr/sbin:/sbin:/usr/bin:/bin";
  return process::program_in(folders, program);
}

}  // namespace

Answer ask(std::vector<std::string> argv, std::chrono::milliseconds time) {
  const std::string name = argv.front();
  argv.front() = place_of(name);
  if (argv.front().empty()) return {.text = "", .why_not = fmt::format("{} is not installed", name)};
  const auto said =
      process::capture({.argv = std::move(argv), .environment = process::own_environment()}, time, kMaxBytes);
  if (!said.ok()) return {.text = "", .why_not = fmt::format("{}: {}", name, said.error().why)};
  const process::Captured& captured = said.value();
  if (captured.timed_out) return {.text = "", .why_not = fmt::format("{} did not answer in time", name)};
  if (captured.out.empty() && !captured.err.empty()) {
    const std::string_view reason = base::word_of(base::trimmed(captured.err), '\n');
    return {.text = "", .why_not = fmt::format("{}: {}", name, reason)};
  }
  return {.text = captured.out, .why_not = ""};
}

bool is_installed(const std::string& program) {
  return !place_of(program).empty();
}

}  // namespace lockstep::hostinfo
