#include "run/evidence/keep.h"

#include <algorithm>
#include <cctype>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "hostinfo/state/kernel_log.h"
#include "run/evidence/account_json.h"

namespace lockstep::evidence {
namespace {

namespace fs = std::filesystem;

std::string in_a_file_name(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.'; },
      '_');
  return name;
}

bool has_stacks(const Account& account) {
  return std::ranges::any_of(account.processes, [](const Testimony& one) {
    return !one.python_stacks.empty() || !one.native_stacks.empty();
  });
}

// An empty text leaves no file, not even that of an earlier fault.
Result<void> keep_text(const fs::path& file, const std::string& text) {
  if (!text.empty()) return base::write_file(file, text);
  std::error_code fault;
  fs::remove(file, fault);
  return {};
}

std::string kernel_lines_about(const Account& account) {
  std::vector<pid_t> pids;
  for (const Testimony& testimony : account.processes) pids.push_back(testimony.subject.pid);
  std::string lines;
  for (const std::string& line : account.host.kernel_lines) {
    if (hostinfo::is_about(line, pids)) lines += line + "\n";
  }
  return lines;
}

}  // namespace

std::string stacks_file_name(const Subject& subject, std::string_view kind) {
  if (!subject.rank) return fmt::format("pid_{}.{}.txt", subject.pid, kind);
  return fmt::format("rank_{:05}.restart_{}.{}.txt", *subject.rank, subject.restart, kind);
}

Result<void> keep(const Account& account, const fs::path& recording) {
  const fs::path facts = recording / fmt::format("host_{}.json", in_a_file_name(account.host.name));
  TRY(base::write_file(facts, to_text(to_json(account), base::JsonLayout::kIndented) + "\n"));
  TRY(keep_text(recording / fmt::format("kernel_{}.log", in_a_file_name(account.host.name)),
                kernel_lines_about(account)));
  const fs::path stacks = recording / "stacks";
  std::error_code fault;
  if (has_stacks(account)) fs::create_directories(stacks, fault);
  if (fault) return Error{"cannot make", stacks.string(), fault.message(), ""};
  for (const Testimony& testimony : account.processes) {
    TRY(keep_text(stacks / stacks_file_name(testimony.subject, "python"), testimony.python_stacks));
    TRY(keep_text(stacks / stacks_file_name(testimony.subject, "native"), testimony.native_stacks));
  }
  return {};
}

}  // namespace lockstep::evidence
