// lockstep_check_verb_pages FOLDER: fails when FOLDER (docs/verbs) and the table of verbs disagree.
#include <cstdio>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/docs.h"
#include "cli/verb.h"

namespace lockstep::cli {
namespace {

constexpr std::size_t kLargestPageBytes = 1 << 20;

std::vector<std::string> faults_of_page(const Verb& verb, const std::filesystem::path& path) {
  const Result<std::string> page = base::read_file(path, kLargestPageBytes);
  if (!page.ok()) return {page.error().why};
  return disagreements(verb, page.value());
}

bool is_page_of_no_verb(const std::filesystem::path& path) {
  const std::string name = path.stem().string();
  return path.extension() == ".md" && name != "README" && find_verb(all_verbs(), name) == nullptr;
}

int count_faults(const std::filesystem::path& folder) {
  int faults = 0;
  const auto report = [&](const std::filesystem::path& path, std::string_view fault) {
    fmt::print(stderr, "{}: {}\n", path.string(), fault);
    ++faults;
  };
  for (const Verb* verb : all_verbs()) {
    const std::filesystem::path path = folder / fmt::format("{}.md", verb->name);
    for (const std::string& fault : faults_of_page(*verb, path)) report(path, fault);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (is_page_of_no_verb(entry.path())) report(entry.path(), "lockstep has no such verb");
  }
  return faults;
}

}  // namespace
}  // namespace lockstep::cli

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: lockstep_check_verb_pages FOLDER\n", stderr);
    return 2;
  }
  return lockstep::cli::count_faults(argv[1]) == 0 ? 0 : 1;
}
