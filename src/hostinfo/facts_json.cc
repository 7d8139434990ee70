#include "hostinfo/facts_json.h"

#include "hostinfo/json_members.h"

namespace lockstep::hostinfo {

// Found by argument-dependent lookup from json_members.h, which passes over unnamed namespaces.
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
