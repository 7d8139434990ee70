#include "cli/remote_flags.h"

#include <algorithm>

#include "base/text_fields.h"
#include "check/probe/agents.h"

namespace lockstep::cli {
namespace {

hostinfo::Via via_named(const std::string& word) {
  if (word == "srun") return hostinfo::Via::kSrun;
  if (word == "mpirun") return hostinfo::Via::kMpirun;
  return word == "kubectl" ? hostinfo::Via::kKubectl : hostinfo::Via::kSsh;
}

}  // namespace

std::vector<std::string> words_in(const std::vector<std::string>& lists) {
  std::vector<std::string> words;
  for (const std::string& list : lists) {
    for (std::string_view rest = list; !rest.empty();) {
      const std::string_view word = base::word_of(rest, ',');
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      if (!word.empty()) words.emplace_back(word);
    }
  }
  return words;
}

hostinfo::RemoteRequest remote_request(const Args& args, std::vector<std::string> hosts) {
  hostinfo::RemoteRequest request;
  request.hosts = std::move(hosts);
  request.via = via_named(*args.value("via"));
  request.program = *args.value("program");
  if (args.has("send")) request.sent_to = "/tmp/lockstep-" + probe::fresh_token();
  return request;
}

}  // namespace lockstep::cli
