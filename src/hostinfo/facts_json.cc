#include "hostinfo/facts_json.h"

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/net/address.h"

namespace lockstep::hostinfo {
namespace {

// Members of a JSON object, written and read by the same list of names: describe(io, value) names them once
// and both sides follow it.
class MemberWriter {
 public:
  template <typename T>
  void member(const char* name, const T& value) {
    base::Json made = json_of(value);
    const bool says_nothing = made.is_null() || (made.is_structured() && made.empty()) || made == "";
    if (!says_nothing) object_[name] = std::move(made);
  }
  base::Json take() { return std::move(object_); }

 private:
  static base::Json json_of(const base::Address& address) { return to_text(address); }
  static base::Json json_of(const base::Prefix& prefix) { return to_text(prefix); }
  static base::Json json_of(base::Family family) { return family == base::Family::kIpv4 ? "ipv4" : "ipv6"; }
  static base::Json json_of(const std::string& text) { return text; }
  static base::Json json_of(const base::Json& json) { return json; }
  static base::Json json_of(bool value) { return value; }
  static base::Json json_of(double value) { return value; }
  template <std::integral T>
  static base::Json json_of(const T& value) {
    return value;
  }
  template <typename T>
  static base::Json json_of(const std::optional<T>& value) {
    return value ? json_of(*value) : base::Json(nullptr);
  }
  template <typename T>
  static base::Json json_of(const std::vector<T>& values) {
    base::Json list = base::Json::array();
    for (const T& value : values) list.push_back(json_of(value));
    return list;
  }
  template <typename T>
  static base::Json json_of(const std::map<std::string, T>& values) {
    base::Json object = base::Json::object();
    for (const auto& [key, value] : values) object[key] = json_of(value);
    return object;
  }
  template <typename T>
  static base::Json json_of(const T& value) {
    MemberWriter writer;
    describe(writer, const_cast<T&>(value));  // the writer's side of describe() reads only
    return writer.take();
  }

  base::Json object_ = base::Json::object();
};

class MemberReader {
 public:
  MemberReader(const base::Json& object, std::string place, std::vector<std::string>& faults)
      : object_(object), place_(std::move(place)), faults_(faults) {}

  template <typename T>
  void member(const char* name, T& value) {
    if (!object_.is_object()) return;
    const auto at = object_.find(name);
    if (at == object_.end()) return;
    read(*at, value, place_.empty() ? name : fmt::format("{}.{}", place_, name));
  }

 private:
  static constexpr std::size_t kMaxFaults = 20;

  void refuse(const std::string& place, const char* wanted) {
    if (faults_.size() < kMaxFaults) faults_.push_back(fmt::format("facts: {} is not {}", place, wanted));
  }
  void read(const base::Json& json, std::string& value, const std::string& place) {
    if (!json.is_string()) return refuse(place, "text");
    value = json.get<std::string>();
  }
  void read(const base::Json& json, base::Json& value, const std::string&) { value = json; }
  void read(const base::Json& json, bool& value, const std::string& place) {
    if (!json.is_boolean()) return refuse(place, "true or false");
    value = json.get<bool>();
  }
  void read(const base::Json& json, double& value, const std::string& place) {
    if (!json.is_number()) return refuse(place, "a number");
    value = json.get<double>();
  }
  template <std::integral T>
  void read(const base::Json& json, T& value, const std::string& place) {
    if (json.is_number_unsigned() && std::in_range<T>(json.get<std::uint64_t>())) {
      value = static_cast<T>(json.get<std::uint64_t>());
    } else if (json.is_number_integer() && !json.is_number_unsigned() &&
               std::in_range<T>(json.get<std::int64_t>())) {
      value = static_cast<T>(json.get<std::int64_t>());
    } else {
      refuse(place, "a number in range");
    }
  }
  void read(const base::Json& json, base::Address& value, const std::string& place) {
    const auto address = json.is_string() ? base::parse_address(json.get<std::string>()) : std::nullopt;
    if (!address) return refuse(place, "an address");
    value = *address;
  }
  void read(const base::Json& json, base::Prefix& value, const std::string& place) {
    const auto prefix = json.is_string() ? base::parse_prefix(json.get<std::string>()) : std::nullopt;
    if (!prefix) return refuse(place, "an address with a length");
    value = *prefix;
  }
  void read(const base::Json& json, base::Family& value, const std::string& place) {
    if (json != "ipv4" && json != "ipv6") return refuse(place, "ipv4 or ipv6");
    value = json == "ipv4" ? base::Family::kIpv4 : base::Family::kIpv6;
  }
  template <typename T>
  void read(const base::Json& json, std::optional<T>& value, const std::string& place) {
    if (json.is_null()) return;
    const std::size_t before = faults_.size();
    T inner{};
    read(json, inner, place);
    if (faults_.size() == before && faults_.size() < kMaxFaults) value = std::move(inner);
  }
  template <typename T>
  void read(const base::Json& json, std::vector<T>& values, const std::string& place) {
    if (!json.is_array()) return refuse(place, "a list");
    values.reserve(json.size());
    for (const base::Json& item : json) {
      const std::size_t before = faults_.size();
      T value{};
      read(item, value, fmt::format("{}[{}]", place, &item - &*json.begin()));
      if (faults_.size() == before) values.push_back(std::move(value));
    }
  }
  template <typename T>
  void read(const base::Json& json, std::map<std::string, T>& values, const std::string& place) {
    if (!json.is_object()) return refuse(place, "an object");
    for (const auto& [key, item] : json.items()) {
      const std::size_t before = faults_.size();
      T value{};
      read(item, value, fmt::format("{}.{}", place, key));
      if (faults_.size() == before) values.emplace(key, std::move(value));
    }
  }
  template <typename T>
  void read(const base::Json& json, T& value, const std::string& place) {
    if (!json.is_object()) return refuse(place, "an object");
    MemberReader inner(json, place, faults_);
    describe(inner, value);
  }

  const base::Json& object_;
  std::string place_;
  std::vector<std::string>& faults_;
};

}  // namespace

// Found by argument-dependent lookup from the classes above, which passes over unnamed namespaces.
template <typename Io>
void describe(Io& io, InterfaceAddress& value) {
  io.member("address", value.prefix);
  io.member("scope", value.scope);
  io.member("label", value.label);
  io.member("peer", value.peer);
  io.member("temporary", value.is_temporary);
  io.member("deprecated", value.is_deprecated);
}

template <typename Io>
void describe(Io& io, Interface& value) {
  io.member("index", value.index);
  io.member("name", value.name);
  io.member("kind", value.kind);
  io.member("master", value.master);
  io.member("mtu", value.mtu);
  io.member("up", value.is_up);
  io.member("running", value.is_running);
  io.member("loopback", value.is_loopback);
  io.member("point_to_point", value.is_point_to_point);
  io.member("hardware_address", value.hardware_address);
  io.member("speed_mbps", value.speed_mbps);
  io.member("addresses", value.addresses);
}

template <typename Io>
void describe(Io& io, Route& value) {
  io.member("table", value.table);
  io.member("kind", value.kind);
  io.member("to", value.destination);
  io.member("via", value.gateway);
  io.member("interface", value.interface);
  io.member("source", value.source);
  io.member("metric", value.metric);
  io.member("mtu", value.mtu);
  io.member("usable", value.is_usable);
}

template <typename Io>
void describe(Io& io, PolicyRule& value) {
  io.member("priority", value.priority);
  io.member("family", value.family);
  io.member("from", value.from);
  io.member("to", value.to);
  io.member("incoming", value.incoming);
  io.member("outgoing", value.outgoing);
  io.member("mark", value.mark);
  io.member("table", value.table);
  io.member("action", value.action);
  io.member("not_understood", value.not_understood);
}

template <typename Io>
void describe(Io& io, Neighbours& value) {
  io.member("ipv4_count", value.ipv4_count);
  io.member("ipv4_limit", value.ipv4_limit);
  io.member("ipv6_count", value.ipv6_count);
  io.member("ipv6_limit", value.ipv6_limit);
}

template <typename Io>
void describe(Io& io, ResolvedName& value) {
  io.member("name", value.name);
  io.member("any", value.any);
  io.member("any_error", value.any_error);
  io.member("ipv6", value.ipv6);
  io.member("ipv6_error", value.ipv6_error);
  io.member("ipv4", value.ipv4);
  io.member("ipv4_error", value.ipv4_error);
  io.member("canonical", value.canonical);
}

template <typename Io>
void describe(Io& io, ListeningSocket& value) {
  io.member("address", value.address);
  io.member("port", value.port);
  io.member("program", value.program);
}

template <typename Io>
void describe(Io& io, IptablesText& value) {
  std::string kind = value.kind == IptablesKind::kLegacy ? "legacy" : "nft";
  io.member("kind", kind);
  value.kind = kind == "legacy" ? IptablesKind::kLegacy : IptablesKind::kNft;
  io.member("ipv6", value.is_ipv6);
  io.member("text", value.text);
}

template <typename Io>
void describe(Io& io, FirewallTexts& value) {
  io.member("seen", value.was_seen);
  io.member("nftables", value.nftables);
  io.member("iptables", value.iptables);
}

template <typename Io>
void describe(Io& io, ResourceLimit& value) {
  io.member("soft", value.soft);
  io.member("hard", value.hard);
}

template <typename Io>
void describe(Io& io, SharedMemory& value) {
  io.member("total_bytes", value.total_bytes);
  io.member("free_bytes", value.free_bytes);
  io.member("device", value.device);
}

template <typename Io>
void describe(Io& io, Machine& value) {
  io.member("kernel", value.kernel);
  io.member("distribution", value.distribution);
  io.member("cpus", value.cpus);
  io.member("memory_bytes", value.memory_bytes);
  io.member("memory_limit_bytes", value.memory_limit_bytes);
  io.member("cpu_quota", value.cpu_quota);
  io.member("pids_limit", value.pids_limit);
  io.member("removes_ipc", value.removes_ipc);
}

template <typename Io>
void describe(Io& io, Gpu& value) {
  io.member("index", value.index);
  io.member("uuid", value.uuid);
  io.member("name", value.name);
  io.member("pci", value.pci);
  io.member("memory_bytes", value.memory_bytes);
}

template <typename Io>
void describe(Io& io, Gpus& value) {
  io.member("switches", value.switches);
  io.member("driver", value.driver);
  io.member("kernel_module", value.kernel_module);
  io.member("gpus", value.gpus);
}

template <typename Io>
void describe(Io& io, Gid& value) {
  io.member("index", value.index);
  io.member("gid", value.gid);
  io.member("type", value.type);
  io.member("interface", value.interface);
}

template <typename Io>
void describe(Io& io, NcclPlugin& value) {
  io.member("name", value.name);
  io.member("path", value.path);
}

template <typename Io>
void describe(Io& io, RdmaPort& value) {
  io.member("number", value.number);
  io.member("state", value.state);
  io.member("link_layer", value.link_layer);
  io.member("rate", value.rate);
  io.member("gids", value.gids);
  io.member("partition_keys", value.partition_keys);
}

template <typename Io>
void describe(Io& io, RdmaDevice& value) {
  io.member("name", value.name);
  io.member("ports", value.ports);
}

template <typename Io>
void describe(Io& io, Clock& value) {
  io.member("wall_ns", value.wall_ns);
  io.member("synchronised", value.is_synchronised);
  io.member("largest_error_us", value.largest_error_us);
  io.member("offset_ns", value.offset_ns);
  io.member("offset_uncertainty_ns", value.offset_uncertainty_ns);
}

template <typename Io>
void describe(Io& io, HostFacts& value) {
  io.member("host", value.name);
  io.member("full_name", value.full_name);
  io.member("boot_id", value.boot_id);
  io.member("namespaces", value.namespaces);
  io.member("collected_by", value.collected_by);
  io.member("by_root", value.by_root);
  io.member("clock", value.clock);
  io.member("interfaces", value.interfaces);
  io.member("routes", value.routes);
  io.member("policy_rules", value.policy_rules);
  io.member("neighbours", value.neighbours);
  io.member("names", value.names);
  io.member("listening", value.listening);
  io.member("firewall", value.firewall);
  io.member("sysctls", value.sysctls);
  io.member("limits", value.limits);
  io.member("shared_memory", value.shared_memory);
  io.member("machine", value.machine);
  io.member("gpus", value.gpus);
  io.member("rdma_devices", value.rdma_devices);
  io.member("kernel_modules", value.kernel_modules);
  io.member("programs", value.programs);
  io.member("nccl_plugin", value.nccl_plugin);
  io.member("services", value.services);
  io.member("versions", value.versions);
  io.member("environment", value.environment);
  io.member("files", value.files);
  io.member("unseen", value.unseen);
}

std::string encode_facts(const HostFacts& facts) {
  base::Json document = base::Json::object();
  document["schema"] = kFactsSchema;
  MemberWriter writer;
  HostFacts copy = facts;
  describe(writer, copy);
  document.update(writer.take());
  return base::to_text(document, base::JsonLayout::kIndented) + "\n";
}

Result<HostFacts> decode_facts(std::string_view text, std::string_view where) {
  return facts_in_document(TRY(base::parse_json(text, where)), where);
}

Result<HostFacts> facts_in_document(const base::Json& document, std::string_view where) {
  const bool is_facts =
      document.is_object() && document.contains("schema") && document["schema"] == kFactsSchema;
  if (!is_facts) {
    return Error{"cannot read facts", std::string(where), "its \"schema\" is not lockstep-facts-v1",
                 "make the file with  lockstep facts -o FILE  on that host"};
  }
  HostFacts facts;
  std::vector<std::string> faults;
  MemberReader reader(document, "", faults);
  describe(reader, facts);
  facts.unseen.insert(facts.unseen.end(), faults.begin(), faults.end());
  if (facts.name.empty()) {
    return Error{"cannot read facts", std::string(where), "it does not say of which host (\"host\") it is",
                 "make the file with  lockstep facts -o FILE  on that host"};
  }
  return facts;
}

}  // namespace lockstep::hostinfo
