// Build step: checks the catalogue folder and writes it in the form that the binary embeds.
#include <cstdio>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "base/file.h"
#include "symptoms/catalogue.h"

namespace {

namespace fs = std::filesystem;
using lockstep::Error;
using lockstep::Result;

Result<void> pack(const fs::path& folder, const fs::path& out) {
  const auto catalogue = TRY(lockstep::symptoms::Catalogue::from_folder(folder));
  const std::vector<std::string> faults = lockstep::symptoms::sample_faults(catalogue);
  if (!faults.empty())
    return Error{"catalogue is not sound", folder.string(), fmt::format("{}", fmt::join(faults, "\n  ")), ""};
  const auto packed = catalogue.pack();
  TRY(lockstep::base::write_file(out / "entries.json", packed.entries));
  TRY(lockstep::base::write_file(out / "telling.set", packed.telling));
  TRY(lockstep::base::write_file(out / "facts.set", packed.facts));
  return lockstep::base::write_file(out / "quiet.set", packed.quiet);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: pack_catalogue CATALOGUE_FOLDER OUT_FOLDER\n");
    return 2;
  }
  const Result<void> done = pack(argv[1], argv[2]);
  if (done.ok()) return 0;
  fmt::print(stderr, "{}: {}: {}\n", done.error().what, done.error().where, done.error().why);
  return 1;
}
