#include <algorithm>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/net/address.h"
#include "base/text_fields.h"
#include "network/choices/choice.h"

namespace lockstep::network {
namespace {

constexpr std::size_t kMaxInterfaces = 16;         // NCCL's MAX_IFS
constexpr LibraryVersion kSkipsLibvirt{2, 24, 0};  // "virbr" among what is taken last

struct Setting {
  std::string value;
  std::string source;
};

std::string value_in_file(const std::string& text, std::string_view name) {
  base::Lines lines{text};
  std::string found;
  while (const auto line = lines.next()) {
    if (line->starts_with('#') || !line->starts_with(name)) continue;
    const std::string_view rest = line->substr(name.size());
    if (rest.starts_with('=')) found = base::trimmed(rest.substr(1));
  }
  return found;
}

Setting setting_of(const hostinfo::HostFacts& facts, const Environment& environment,
                   const std::string& name) {
  if (const auto value = variable_in(environment, name); !value.empty()) return {std::string(value), name};
  std::vector<std::string> paths;
  const auto own = variable_in(environment, "NCCL_CONF_FILE");
  paths.push_back(own.empty() ? fmt::format("{}/.nccl.conf", facts.variable("HOME")) : std::string(own));
  paths.emplace_back("/etc/nccl.conf");
  for (const std::string& path : paths) {
    const auto file = facts.files.find(path);
    if (file == facts.files.end()) continue;
    if (auto value = value_in_file(file->second, name); !value.empty())
      return {std::move(value), fmt::format("{} in {}", name, path)};
  }
  return {};
}

struct NameList {
  bool is_excluding = false;
  bool is_exact = false;
  std::vector<std::string> names;

  bool takes(std::string_view interface) const {
    const bool is_listed = std::ranges::any_of(names, [&](const std::string& name) {
      return is_exact ? interface == name : interface.starts_with(name);
    });
    return is_listed != is_excluding;
  }
};

NameList parse_list(std::string_view text) {
  NameList list;
  list.is_excluding = text.starts_with('^');
  if (list.is_excluding) text.remove_prefix(1);
  list.is_exact = text.starts_with('=');
  if (list.is_exact) text.remove_prefix(1);
  for (const std::string_view item : split_list(text)) {
    const std::string_view name = base::word_of(item, ':');  // the rest would be a port
    if (!name.empty() && list.names.size() < kMaxInterfaces) list.names.emplace_back(name);
  }
  return list;
}

class Chooser {
 public:
  Chooser(const hostinfo::HostFacts& facts, const Environment& environment, LibraryVersion version)
      : facts_(facts), environment_(environment), version_(version) {}

  Choice choose() {
    read_family();
    choose_for_sockets();
    const Setting id = setting_of(facts_, environment_, "NCCL_COMM_ID");
    if (!id.value.empty()) choose_for_id(id);
    return std::move(choice_);
  }

 private:
  void choose_for_sockets() {
    const Setting wanted = setting_of(facts_, environment_, "NCCL_SOCKET_IFNAME");
    if (wanted.value.size() == 1)
      choice_.because(fmt::format("the value \"{}\" is one character long and ignored", wanted.value),
                      wanted.source);
    if (wanted.value.size() > 1) {
      take(parse_list(wanted.value));
      tell(fmt::format("matches \"{}\"", wanted.value), wanted.source);
      if (choice_.failed())
        choice_.fail(
            fmt::format("no interface with carrier and an address matches \"{}\": Bootstrap : no socket "
                        "interface found",
                        wanted.value),
            wanted.source);
      return;
    }
    choose_by_itself();
    if (choice_.failed()) choice_.fail("Bootstrap : no socket interface found", "interfaces");
  }

  // With an id given, bootstrap takes the interface of its subnet whatever the names say, carrier or not.
  void choose_for_id(const Setting& id) {
    const auto address = address_in(id.value);
    const std::string zone(base::word_of(base::rest_after(id.value, "%"), "]:"));
    const auto all = hostinfo::addresses_in_kernel_order(facts_);
    const auto found = std::ranges::find_if(all, [&](const hostinfo::LocalAddress& local) {
      if (!address || !local.address->prefix.contains(*address)) return false;
      const bool needs_zone = address->family == base::Family::kIpv6 && address->is_link_local();
      return !needs_zone || local.interface->name == zone;
    });
    if (found == all.end()) {
      choice_.addresses.clear();
      return choice_.fail("NET/Socket : No usable listening interface found", id.source);
    }
    const ChosenAddress first{found->interface->name, found->address->prefix.address};
    std::erase(choice_.addresses, first);
    choice_.addresses.insert(choice_.addresses.begin(), first);
    choice_.failure.clear();
    choice_.because(fmt::format("{} ({}) is in the subnet of {}: bootstrap takes it", first.interface,
                                to_text(first.address), id.value),
                    id.source);
  }

  std::optional<base::Address> address_in(std::string_view endpoint) const {
    const std::string host = base::endpoint_of(endpoint).host;
    if (const auto literal = base::parse_address(host)) return literal;
    const hostinfo::ResolvedName* const answer = facts_.resolved(host);
    return answer == nullptr || answer->any.empty() ? std::nullopt : std::optional(answer->any.front());
  }

  void read_family() {
    const Setting family = setting_of(facts_, environment_, "NCCL_SOCKET_FAMILY");
    if (family.value.empty()) return;
    if (family.value == "AF_INET") {
      family_ = base::Family::kIpv4;
    } else if (family.value == "AF_INET6") {
      family_ = base::Family::kIpv6;
    } else {
      choice_.because(fmt::format("\"{}\" is neither AF_INET nor AF_INET6 and ignored", family.value),
                      family.source);
      return;
    }
    choice_.because("only addresses of " + family.value, family.source);
  }

  void choose_by_itself() {
    const bool skips_libvirt = version_ >= kSkipsLibvirt;
    take(parse_list("ib"));
    if (tell("its name begins with ib, which comes first", "order of NCCL")) return;
    const Setting id = setting_of(facts_, environment_, "NCCL_COMM_ID");
    if (!id.value.empty()) {
      take_subnet_of(id.value);
      if (tell("is in the subnet of " + id.value, id.source)) return;
    }
    take(parse_list(skips_libvirt ? "^docker,lo,virbr" : "^docker,lo"));
    if (tell(skips_libvirt ? "is neither docker*, lo* nor virbr*" : "is neither docker* nor lo*",
             "order of NCCL"))
      return;
    for (const char* last : {"docker", "lo", "virbr"}) {
      if (last == std::string_view("virbr") && !skips_libvirt) return;
      take(parse_list(last));
      if (tell(fmt::format("nothing but {}* is left", last), "order of NCCL")) return;
    }
  }

  bool is_candidate(const hostinfo::LocalAddress& local) const {
    if (!local.interface->is_running) return false;
    const base::Address& address = local.address->prefix.address;
    if (family_ && address.family != *family_) return false;
    return !(address.family == base::Family::kIpv6 && address.is_loopback());
  }

  void add(const hostinfo::LocalAddress& local) {
    const bool is_there = std::ranges::any_of(choice_.addresses, [&](const ChosenAddress& chosen) {
      return chosen.interface == local.interface->name;
    });
    if (!is_there && choice_.addresses.size() < kMaxInterfaces)
      choice_.addresses.push_back({local.interface->name, local.address->prefix.address});
  }

  void take(const NameList& list) {
    for (const hostinfo::LocalAddress& local : hostinfo::addresses_in_kernel_order(facts_))
      if (is_candidate(local) && list.takes(local.interface->name)) add(local);
  }

  void take_subnet_of(std::string_view endpoint) {
    const auto address = address_in(endpoint);
    if (!address) return;
    for (const hostinfo::LocalAddress& local : hostinfo::addresses_in_kernel_order(facts_))
      if (is_candidate(local) && local.address->prefix.contains(*address)) add(local);
  }

  bool tell(const std::string& why, const std::string& source) {
    if (choice_.failed()) return false;
    const ChosenAddress& first = choice_.addresses.front();
    choice_.because(fmt::format("{} ({}) {}", first.interface, to_text(first.address), why), source);
    if (choice_.addresses.size() > 1)
      choice_.because(fmt::format("it is the first of {} that do; bootstrap uses only the first",
                                  choice_.addresses.size()),
                      "order of the kernel");
    return true;
  }

  const hostinfo::HostFacts& facts_;
  const Environment& environment_;
  LibraryVersion version_;
  std::optional<base::Family> family_;
  Choice choice_;
};

}  // namespace

Choice choose_nccl(const hostinfo::HostFacts& facts, const Environment& environment, LibraryVersion version) {
  return Chooser(facts, environment, version).choose();
}

}  // namespace lockstep::network
