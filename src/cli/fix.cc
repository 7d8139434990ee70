#include "cli/fix.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <unistd.h>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/process/environment.h"
#include "base/process/run.h"
#include "cli/terminal.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

std::string own_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

// Facts are not ours: a name must not lead out of the folder.
std::string variables_file_of(std::string host) {
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

constexpr std::string_view kAfterOldFiles = ".before-fix";

// Where the old text is kept: never over an earlier one.
fs::path place_beside(const fs::path& file) {
  fs::path place = file;
  place += kAfterOldFiles;
  std::error_code ignored;
  for (int number = 2; fs::exists(fs::symlink_status(place, ignored)); ++number) {
    place = file;
    place += fmt::format("{}-{}", kAfterOldFiles, number);
  }
  return place;
}

// All of it at once, as readable and executable as it was.
Result<void> replace_text(const fs::path& file, const std::string& text) {
  std::error_code fault;
  const fs::path target = fs::is_symlink(file, fault) ? fs::canonical(file, fault) : file;
  const fs::perms rights = fs::status(target, fault).permissions();
  TRY(base::write_file(target, text));
  fs::permissions(target, rights, fault);
  return {};
}

// The old texts first: when one file cannot be written, those before it are put back.
Result<void> patch_files(const std::vector<repair::FileChange>& files, Terminal& terminal) {
  for (const repair::FileChange& file : files) {
    const fs::path kept = place_beside(file.file);
    TRY(base::write_file(kept, file.before));
    terminal.tell(fmt::format("kept {} as {}\n", base::escape_for_terminal(file.file),
                              base::escape_for_terminal(kept.string())));
  }
  for (std::size_t at = 0; at < files.size(); ++at) {
    if (auto done = replace_text(files[at].file, files[at].after); !done.ok()) {
      for (std::size_t i = 0; i < at; ++i) TRY(replace_text(files[i].file, files[i].before));
      return std::move(done).error();
    }
  }
  for (const repair::FileChange& file : files)
    terminal.tell(fmt::format("patched {}\n", base::escape_for_terminal(file.file)));
  return {};
}

Result<void> write_variables(const repair::Repair& repair, const fs::path& folder, Terminal& terminal) {
  std::map<std::string, std::string> texts;
  for (const repair::HostChange& change : repair.hosts)
    if (change.kind == repair::EditKind::kEnvironment) texts[change.host] += change.command + "\n";
  if (texts.empty()) return {};
  std::error_code trouble;
  fs::create_directories(folder, trouble);
  for (const auto& [host, text] : texts) {
    const fs::path file = folder / variables_file_of(host);
    TRY(base::write_file(file, text));
    terminal.tell(fmt::format("wrote {}: on {} say  . {}  before the job starts\n", file.string(), host,
                              file.string()));
  }
  return {};
}

}  // namespace

Result<void> apply_repair(const repair::Repair& repair, const std::string& folder, Terminal& terminal) {
  TRY(patch_files(repair.files, terminal));
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
