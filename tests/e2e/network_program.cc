// The network part from outside, for tests:
//   network_program choices FACTS NAME=VALUE...        what each library would choose there, as JSON
//   network_program horovod INTERFACES FACTS...        the names horovodrun agrees on; - where none are given
//   network_program reach FROM TO ADDRESS PORT...      a word for each port: open, blocked, unknown
#include <cstdio>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text_fields.h"
#include "hostinfo/facts_json.h"
#include "network/choices/choice.h"
#include "network/reach.h"

namespace lockstep::network {
namespace {

using base::Json;

hostinfo::HostFacts read(const std::string& path) {
  const auto text = base::read_file(path, std::size_t{64} << 20);
  auto facts =
      text.ok() ? hostinfo::decode_facts(text.value(), path) : Result<hostinfo::HostFacts>(text.error());
  if (facts.ok()) return std::move(facts).value();
  std::fprintf(stderr, "%s: %s\n", path.c_str(), facts.error().why.c_str());
  std::exit(2);
}

Json json_of(const Choice& choice) {
  Json list = Json::array();
  for (const ChosenAddress& chosen : choice.addresses)
    list.push_back({chosen.interface, to_text(chosen.address)});
  return list;
}

int choices(const std::vector<std::string>& words) {
  const hostinfo::HostFacts facts = read(words[0]);
  Environment environment;
  for (std::size_t at = 1; at < words.size(); ++at)
    environment[std::string(base::word_of(words[at], '='))] = base::rest_after(words[at], "=");
  Json made = Json::object();
  made["gloo"] = json_of(choose_gloo(facts, environment));
  made["nccl"] =
      json_of(choose_nccl(facts, environment, parse_version(variable_in(environment, "NCCL_VERSION"))));
  made["open_mpi"] = json_of(choose_open_mpi(facts, environment));
  made["store"] = json_of(choose_store(facts, std::string(variable_in(environment, "MASTER_ADDR"))));
  made["tensorflow"] = Json::array();
  for (const TensorflowTask& task : choose_tensorflow(facts, environment).tasks) {
    const std::string asked = task.goes_through_proxy  ? "proxy"
                              : task.addresses.empty() ? ""
                                                       : to_text(task.addresses.front());
    made["tensorflow"].push_back({task.is_own ? "own" : "other", asked});
  }
  std::puts(base::to_text(made, base::JsonLayout::kOneLine).c_str());
  return 0;
}

int horovod(const std::vector<std::string>& words) {
  std::vector<hostinfo::HostFacts> facts;
  for (std::size_t at = 1; at < words.size(); ++at) facts.push_back(read(words[at]));
  const CommonInterfaces common = choose_horovod(ReachHosts(facts), words[0] == "-" ? "" : words[0]);
  for (const std::string& name : common.names) std::puts(name.c_str());
  return 0;
}

int reach(const std::vector<std::string>& words) {
  const hostinfo::HostFacts from = read(words[0]);
  const hostinfo::HostFacts to = read(words[1]);
  const auto address = base::parse_address(words[2]);
  if (!address) return 2;
  const ReachHost source = reach_host(from);
  const ReachHost destination = reach_host(to);
  for (std::size_t at = 3; at < words.size(); ++at) {
    Flow flow;
    flow.destination = *address;
    flow.ports = PortSet::one(base::number_in<std::uint16_t>(words[at]).value_or(0));
    const FlowVerdict verdict = judge_flow(source, destination, flow);
    constexpr const char* kWords[] = {"open", "blocked", "unknown"};
    std::printf("%s\t%s\n", kWords[static_cast<int>(verdict.reach)], verdict.why.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace lockstep::network

int main(int count, char** raw) {
  const std::vector<std::string> words(raw + 1, raw + count);
  if (words.size() >= 2 && words[0] == "choices")
    return lockstep::network::choices({words.begin() + 1, words.end()});
  if (words.size() >= 4 && words[0] == "horovod")
    return lockstep::network::horovod({words.begin() + 1, words.end()});
  if (words.size() >= 5 && words[0] == "reach")
    return lockstep::network::reach({words.begin() + 1, words.end()});
  std::fprintf(stderr, "usage: network_program choices|horovod|reach ...\n");
  return 2;
}
