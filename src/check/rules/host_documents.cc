#include "check/rules/host_documents.h"

#include <algorithm>
#include <system_error>

#include "base/file.h"

namespace lockstep::rules {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFacts = std::size_t{64} << 20;

}  // namespace

Result<std::vector<HostDocument>> read_host_documents(const fs::path& folder,
                                                      std::vector<config::Fault>& faults) {
  std::vector<fs::path> files;
  std::error_code trouble;
  for (fs::directory_iterator entry(folder, trouble), end; !trouble && entry != end;
       entry.increment(trouble)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  if (trouble) return Error{"cannot read facts", folder.string(), trouble.message(), ""};
  std::ranges::sort(files);
  std::vector<HostDocument> hosts;
  for (const fs::path& file : files) {
    const auto text = base::read_file(file, kLargestFacts);
    if (!text.ok()) {
      faults.push_back({file.string(), std::nullopt, text.error().why});
      continue;
    }
    auto facts = base::parse_json(text.value(), file.string());
    if (!facts.ok()) {
      faults.push_back({facts.error().where, std::nullopt, facts.error().why});
    } else if (!facts.value().is_object() ||
               facts.value().value("schema", base::Json()) != "lockstep-facts-v1" ||
               !facts.value().value("host", base::Json()).is_string()) {
      faults.push_back({file.string(), 1, "not facts of a host: its schema is not lockstep-facts-v1"});
    } else {
      hosts.push_back({file.string(), std::move(facts).value()});
    }
  }
  if (hosts.empty()) {
    return Error{"cannot read facts", folder.string(), "no file in it holds facts of a host",
                 "make one on every host with  lockstep facts -o FILE"};
  }
  return hosts;
}

}  // namespace lockstep::rules
