#include "hostinfo/facts_folder.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/file.h"
#include "hostinfo/facts_json.h"

namespace lockstep::hostinfo {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFacts = std::size_t{64} << 20;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::error_code fault;
  if (!fs::is_directory(folder, fault)) return {folder};
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, fault), end; !fault && at != end; at.increment(fault))
    if (at->path().extension() == ".json") files.push_back(at->path());
  std::ranges::sort(files);
  return files;
}

}  // namespace

Result<FactsFolder> read_facts_folder(const fs::path& folder) {
  FactsFolder read;
  std::set<std::string> seen;
  for (const fs::path& file : files_in(folder)) {
    const auto text = base::read_file(file, kLargestFacts);
    auto facts = text.ok() ? decode_facts(text.value(), file.string()) : Result<HostFacts>(text.error());
    if (!facts.ok()) {
      read.limits.push_back(fmt::format("{}: {}", file.string(), facts.error().why));
    } else if (!seen.insert(facts.value().name).second) {
      read.limits.push_back(
          fmt::format("{}: the host {} is there already", file.string(), facts.value().name));
    } else {
      read.hosts.push_back(std::move(facts).value());
    }
  }
  if (!read.hosts.empty()) return read;
  return Error{"no facts", folder.string(),
               read.limits.empty() ? "it holds no JSON file" : read.limits.front(),
               "collect them with  lockstep facts --host a,b -o DIR"};
}

}  // namespace lockstep::hostinfo
