// lockstep_docs PREFIX DATE: writes man pages and completions below PREFIX/share, laid out as installed.
#include <cstdio>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/docs.h"
#include "cli/program.h"
#include "cli/verb.h"

namespace lockstep::cli {
namespace {

Result<void> write_below(const std::filesystem::path& share, const std::string& name,
                         const std::string& text) {
  std::filesystem::create_directories((share / name).parent_path());
  return base::write_file(share / name, text);
}

Result<void> write_docs(const std::filesystem::path& share, std::string_view date) {
  const VerbTable verbs = all_verbs();
  std::filesystem::remove_all(share);  // a page of a verb that was renamed must not be installed
  TRY(write_below(share, "man/man1/lockstep.1", program_man_page(verbs, date)));
  for (const Verb* verb : verbs) {
    TRY(write_below(share, fmt::format("man/man1/lockstep-{}.1", verb->name), verb_man_page(*verb, date)));
  }
  TRY(write_below(share, "bash-completion/completions/lockstep", bash_completion(verbs)));
  TRY(write_below(share, "zsh/site-functions/_lockstep", zsh_completion(verbs)));
  return write_below(share, "fish/vendor_completions.d/lockstep.fish", fish_completion(verbs));
}

}  // namespace
}  // namespace lockstep::cli

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: lockstep_docs PREFIX DATE\n", stderr);
    return 2;
  }
  const auto written = lockstep::cli::write_docs(std::filesystem::path(argv[1]) / "share", argv[2]);
  if (written.ok()) return 0;
  std::fputs(lockstep::cli::message_of(written.error()).c_str(), stderr);
  return 2;
}
