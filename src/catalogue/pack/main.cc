// Build step: checks the catalogue folder and writes it in the form that the binary embeds.
#include <cstdio>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "base/file.h"
#include "catalogue/catalogue.h"
#include "catalogue/schema_faults.h"

namespace {

namespace fs = std::filesystem;
using lockstep::Error;
using lockstep::Result;

constexpr std::size_t kMaxOrdinaryTextBytes = 1 << 20;

Result<void> pack(const fs::path& folder, const fs::path& ordinary_lines, const fs::path& out) {
  const auto catalogue = TRY(lockstep::catalogue::Catalogue::from_folder(folder));
  std::vector<std::string> faults = TRY(lockstep::catalogue::schema_faults(folder));
  if (faults.empty()) faults = lockstep::catalogue::sample_faults(catalogue);
  if (!faults.empty())
    return Error{"catalogue is not sound", folder.string(), fmt::format("{}", fmt::join(faults, "\n  ")), ""};
  const std::string ordinary_text = TRY(lockstep::base::read_file(ordinary_lines, kMaxOrdinaryTextBytes));
  const auto packed = TRY(catalogue.pack(ordinary_text));
  TRY(lockstep::base::write_file(out / "entries.json", packed.entries));
  TRY(lockstep::base::write_file(out / "advice.tsv", packed.advice));
  TRY(lockstep::base::write_file(out / "telling.set", packed.telling));
  TRY(lockstep::base::write_file(out / "facts.set", packed.facts));
  TRY(lockstep::base::write_file(out / "prefilter", packed.prefilter));
  return lockstep::base::write_file(out / "quiet.set", packed.quiet);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: pack_catalogue CATALOGUE_FOLDER ORDINARY_LINES OUT_FOLDER\n");
    return 2;
  }
  const Result<void> done = pack(argv[1], argv[2], argv[3]);
  if (done.ok()) return 0;
  fmt::print(stderr, "{}: {}: {}\n", done.error().what, done.error().where, done.error().why);
  return 1;
}
