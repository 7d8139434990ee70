#include "hostinfo/facts_folder.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "base/file.h"
#include "hostinfo/facts_json.h"

namespace lockstep::hostinfo {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFactsBytes = std::size_t{64} << 20;

bool is_facts_document(const base::Json& document) {
  return document.is_object() && document.value("schema", base::Json()) == kFactsSchema &&
         document.value("host", base::Json()).is_string();
}

void add_file(const fs::path& file, FactsFolder& folder) {
  const auto text = base::read_file(file, kMaxFactsBytes);
  if (!text.ok()) {
    folder.faults.push_back({file.string(), std::nullopt, text.error().why});
    return;
  }
  auto document = base::parse_json(text.value(), file.string());
  if (!document.ok()) {
    folder.faults.push_back({document.error().where, std::nullopt, document.error().why});
    return;
  }
  if (!is_facts_document(document.value())) {
    folder.faults.push_back({file.string(), 1, "not facts of a host: its schema is not lockstep-facts-v1"});
    return;
  }
  auto facts = facts_in_document(document.value(), file.string());
  folder.files.push_back(
      {file.string(), std::move(document).value(), facts.ok() ? std::move(facts).value() : HostFacts{}});
}

}  // namespace

std::vector<HostFacts> FactsFolder::hosts() const {
  std::vector<HostFacts> hosts;
  std::set<std::string> seen;
  for (const FactsFile& file : files)
    if (!file.facts.name.empty() && seen.insert(file.facts.name).second) hosts.push_back(file.facts);
  return hosts;
}

namespace {

Result<FactsFolder> read_facts_file(const fs::path& file) {
  FactsFolder read;
  add_file(file, read);
  if (!read.files.empty()) return read;
  return Error{"cannot read facts", file.string(), read.faults.front().why,
               "make them with  lockstep facts -o FILE"};
}

}  // namespace

Result<FactsFolder> read_facts_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code trouble;
  if (fs::is_regular_file(folder, trouble)) return read_facts_file(folder);
  trouble.clear();
  for (fs::directory_iterator entry(folder, trouble), end; !trouble && entry != end;
       entry.increment(trouble)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  if (trouble) return Error{"cannot read facts", folder.string(), trouble.message(), ""};
  std::ranges::sort(files);
  FactsFolder read;
  for (const fs::path& file : files) add_file(file, read);
  if (read.files.empty()) {
    return Error{"cannot read facts", folder.string(), "no file in it holds facts of a host",
                 "make one on every host with  lockstep facts -o FILE"};
  }
  return read;
}

}  // namespace lockstep::hostinfo
