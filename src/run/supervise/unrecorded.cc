#include "run/supervise/unrecorded.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <span>
#include <string_view>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"

namespace lockstep::supervise {
namespace {

namespace fs = std::filesystem;

// The flag by which Python pays no attention to PYTHONPATH. Flags may be written together ("-IB"), some take
// what follows them, and behind -c, -m and the script's name stand other programs' arguments.
std::optional<char> isolating_flag(std::span<const std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (!word.starts_with('-') || word.starts_with("--") || word.size() < 2) return std::nullopt;
    for (std::size_t at = 1; at < word.size(); ++at) {
      const char flag = word[at];
      if (flag == 'I' || flag == 'E') return flag;
      if (flag == 'c' || flag == 'm') return std::nullopt;
      const bool takes_the_rest = flag == 'X' || flag == 'W';
      if (takes_the_rest && at + 1 == word.size()) ++i;
      if (takes_the_rest) break;
    }
  }
  return std::nullopt;
}

bool is_python(std::string_view word) {
  const std::string_view name = word.substr(word.rfind('/') + 1);
  return name.starts_with("python") && name.find_first_not_of("0123456789.", 6) == std::string_view::npos;
}

fs::path program_of(const std::string& word) {
  if (word.find('/') != std::string::npos) return word;
  const char* const path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/usr/bin:/bin" : path;
  while (!folders.empty()) {
    const std::size_t colon = std::min(folders.find(':'), folders.size());
    const fs::path candidate = fs::path(folders.substr(0, colon)) / word;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    folders.remove_prefix(std::min(colon + 1, folders.size()));
  }
  return {};
}

// No program header asks for a dynamic loader, which would load the recorder. A library has none either: it
// may be an argument of the program.
bool is_static(const fs::path& program) {
  constexpr std::size_t kMaxHeaders = 64;
  const bool is_library = program.filename().string().find(".so") != std::string::npos;
  if (is_library || ::access(program.c_str(), X_OK) != 0) return false;
  const auto file = base::open_file(program);
  Elf64_Ehdr head{};
  if (!file.ok() || ::pread(file.value().get(), &head, sizeof head, 0) != sizeof head) return false;
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64) return false;
  if (head.e_phnum == 0 || head.e_phnum > kMaxHeaders || head.e_phentsize != sizeof(Elf64_Phdr)) return false;
  for (std::size_t i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr header{};
    const auto place = static_cast<off_t>(head.e_phoff + i * sizeof header);
    if (::pread(file.value().get(), &header, sizeof header, place) != sizeof header) return false;
    if (header.p_type == PT_INTERP) return false;
  }
  return true;
}

bool gets_other_rights(const fs::path& program) {
  struct stat status {};
  if (::stat(program.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const bool is_setuid = (status.st_mode & S_ISUID) != 0 && status.st_uid != ::geteuid();
  const bool is_setgid = (status.st_mode & S_ISGID) != 0 && status.st_gid != ::getegid();
  const bool has_capabilities =
      ::geteuid() != 0 && ::getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;
  return is_setuid || is_setgid || has_capabilities;
}

}  // namespace

std::optional<std::string> why_unrecorded(const std::vector<std::string>& command) {
  for (std::size_t i = 0; i < command.size(); ++i) {
    const bool may_be_program = i == 0 || command[i].find('/') != std::string::npos;
    if (is_python(command[i])) {
      if (const auto flag = isolating_flag(std::span(command).subspan(i + 1))) {
        return fmt::format(
            "{} -{} ignores PYTHONPATH, by which the recorder is loaded into Python; run it without -{}",
            fs::path(command[i]).filename().string(), *flag, *flag);
      }
    }
    const fs::path program = may_be_program ? program_of(command[i]) : fs::path();
    if (program.empty()) continue;
    if (gets_other_rights(program)) {
      return fmt::format(
          "{} changes its user, group or capabilities when it starts, so the system does not let the "
          "recorder "
          "into it",
          command[i]);
    }
    if (is_static(program)) {
      return fmt::format(
          "{} is linked statically, so the recorder cannot be loaded into it; link it to libc.so",
          command[i]);
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::supervise
