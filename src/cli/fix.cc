#include "cli/fix.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <unistd.h>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/file.h"
#include "cli/terminal.h"
#include "process/environment.h"
#include "process/run.h"

namespace lockstep::cli {
namespace {

std::string own_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

// Facts are not ours: a name must not lead out of the folder.
std::string file_name_of(std::string host) {
  std::ranges::replace(host, '/', '_');
  return host + ".env";
}

bool is_wanted(const std::string& command, Terminal& terminal) {
  terminal.tell(fmt::format("run on this host:  {}  [y/N] ", base::escape_for_terminal(command)));
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

void run_command(const std::string& command, Terminal& terminal) {
  process::RunOptions options;
  options.on_output = [&](process::Stream, std::string_view text) { terminal.tell(text); };
  const auto ended =
      process::run({.argv = {"/bin/sh", "-c", command}, .environment = process::own_environment()}, options);
  const bool worked = ended.ok() && ended.value().status() == 0;
  terminal.tell(worked ? "done\n" : "it failed; nothing else was changed by it\n");
}

Result<void> write_variables(const repair::Repair& repair, const std::filesystem::path& folder,
                             Terminal& terminal) {
  std::map<std::string, std::string> texts;
  for (const repair::HostChange& change : repair.hosts)
    if (change.kind == repair::EditKind::kEnvironment) texts[change.host] += change.command + "\n";
  if (texts.empty()) return {};
  std::error_code trouble;
  std::filesystem::create_directories(folder, trouble);
  for (const auto& [host, text] : texts) {
    const std::filesystem::path file = folder / file_name_of(host);
    TRY(base::write_file(file, text));
    terminal.tell(fmt::format("wrote {}: on {} say  . {}  before the job starts\n", file.string(), host,
                              file.string()));
  }
  return {};
}

}  // namespace

Result<void> apply_repair(const repair::Repair& repair, const std::string& folder, Terminal& terminal) {
  for (const repair::FileChange& file : repair.files) {
    TRY(base::write_file(file.file, file.after));
    terminal.tell(fmt::format("patched {}\n", file.file));
  }
  TRY(write_variables(repair, folder, terminal));
  const bool has_person = isatty(STDIN_FILENO) == 1 && terminal.err_is_terminal();
  for (const repair::HostChange& change : repair.hosts) {
    if (change.kind == repair::EditKind::kEnvironment) continue;
    if (change.host == own_name() && has_person && is_wanted(change.command, terminal)) {
      run_command(change.command, terminal);
    } else {
      terminal.tell(fmt::format("left to you on {}:  {}\n", change.host, change.command));
    }
  }
  return {};
}

}  // namespace lockstep::cli
