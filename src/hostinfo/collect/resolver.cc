#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <netdb.h>
#include <set>

#include <fmt/format.h>

#include "base/net/address.h"
#include "base/process/call_with_deadline.h"
#include "base/text_fields.h"
#include "hostinfo/collect/parts.h"
#include "launchers/tf_config.h"

namespace lockstep::hostinfo {
namespace {

constexpr std::chrono::seconds kPatience{12};  // for all names; a dead server costs 5 s for each try

std::optional<base::Address> address_in(const sockaddr* socket_address) {
  base::Address address;
  if (socket_address->sa_family == AF_INET) {
    std::memcpy(address.bytes.data(), &reinterpret_cast<const sockaddr_in*>(socket_address)->sin_addr, 4);
    return address;
  }
  if (socket_address->sa_family != AF_INET6) return std::nullopt;
  address.family = base::Family::kIpv6;
  std::memcpy(address.bytes.data(), &reinterpret_cast<const sockaddr_in6*>(socket_address)->sin6_addr, 16);
  return address;
}

std::vector<base::Address> look_up(const std::string& name, int family, int flags, std::string& error,
                                   std::string* canonical = nullptr) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | (canonical != nullptr ? AI_CANONNAME : 0);
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(name.c_str(), nullptr, &hints, &found);
  std::vector<base::Address> addresses;
  if (status != 0) {
    error = ::gai_strerror(status);
    return addresses;
  }
  if (canonical != nullptr && found->ai_canonname != nullptr) *canonical = found->ai_canonname;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next)
    if (const auto address = address_in(at->ai_addr)) addresses.push_back(*address);
  ::freeaddrinfo(found);
  return addresses;
}

// What Python's socket.getfqdn() does: the names the resolver gives for the host's own name, the first that
// has a dot.
std::string full_name_of(const std::string& name) {
  hostent entry{};
  hostent* found = nullptr;
  char buffer[8192];
  int error = 0;
  std::string unused;
  const auto addresses = look_up(name, AF_UNSPEC, 0, unused);
  if (addresses.empty()) return name;
  const base::Address& first = addresses.front();
  const bool is_ipv4 = first.family == base::Family::kIpv4;
  ::gethostbyaddr_r(first.bytes.data(), is_ipv4 ? 4 : 16, is_ipv4 ? AF_INET : AF_INET6, &entry, buffer,
                    sizeof buffer, &found, &error);
  if (found == nullptr) return name;
  std::vector<std::string> names = {found->h_name};
  for (char** alias = found->h_aliases; alias != nullptr && *alias != nullptr; ++alias)
    names.emplace_back(*alias);
  const auto dotted =
      std::ranges::find_if(names, [](const auto& text) { return text.find('.') != text.npos; });
  return dotted != names.end() ? *dotted : names.front();
}

void add_cluster(const std::string& text, std::vector<std::string>& names) {
  for (const launchers::TfConfig::Job& job : launchers::read_tf_config(text).cluster)
    for (const std::string& address : job.addresses) names.push_back(base::endpoint_of(address).host);
}

struct Answers {
  std::string full_name;
  std::vector<ResolvedName> names;
};

}  // namespace

ResolvedName resolve(const std::string& name) {
  ResolvedName made;
  made.name = name;
  made.any = look_up(name, AF_UNSPEC, 0, made.any_error, &made.canonical);
  made.ipv6 = look_up(name, AF_INET6, AI_V4MAPPED | AI_ALL, made.ipv6_error);
  made.ipv4 = look_up(name, AF_INET, 0, made.ipv4_error);
  return made;
}

std::vector<std::string> names_in(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> names;
  for (const char* variable : {"MASTER_ADDR", "PET_RDZV_ENDPOINT", "HOROVOD_GLOO_RENDEZVOUS_ADDR",
                               "NCCL_COMM_ID", "DMLC_PS_ROOT_URI"}) {
    const auto at = environment.find(variable);
    if (at != environment.end() && !at->second.empty()) names.push_back(base::endpoint_of(at->second).host);
  }
  if (const auto at = environment.find("TF_CONFIG"); at != environment.end()) add_cluster(at->second, names);
  if (const auto at = environment.find("KERAS_DISTRIBUTION_JOB_ADDRESSES"); at != environment.end()) {
    for (std::string_view rest = at->second; !rest.empty();) {
      const std::string_view word = base::word_of(rest, ',');
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      names.push_back(base::endpoint_of(word).host);
    }
  }
  return names;
}

void take_names(const std::vector<std::string>& names, HostFacts& facts) {
  std::vector<std::string> wanted = {facts.name, "localhost"};
  std::ranges::copy(names_in(facts.environment), std::back_inserter(wanted));
  std::ranges::copy(names, std::back_inserter(wanted));
  std::set<std::string> seen;
  std::erase_if(wanted, [&](const std::string& name) { return name.empty() || !seen.insert(name).second; });
  process::CallWithDeadline<Answers> asked([wanted, own = facts.name] {
    Answers answers;
    answers.full_name = full_name_of(own);
    for (const std::string& name : wanted) answers.names.push_back(resolve(name));
    if (!std::ranges::count(wanted, answers.full_name)) answers.names.push_back(resolve(answers.full_name));
    return answers;
  });
  auto answers = asked.answer_until(std::chrono::steady_clock::now() + kPatience);
  if (!answers) {
    facts.full_name = facts.name;
    facts.unseen.emplace_back("names: the resolver did not answer in time; is a name server dead?");
    return;
  }
  facts.full_name = std::move(answers->full_name);
  facts.names = std::move(answers->names);
}

}  // namespace lockstep::hostinfo
