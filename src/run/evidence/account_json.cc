#include "run/evidence/account_json.h"

namespace lockstep::evidence {
namespace {

using base::Json;

// What is not known is not there.
template <typename T>
void put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}
void put(Json& json, const char* key, const std::string& value) {
  if (!value.empty()) json[key] = value;
}
void put(Json& json, const char* key, const std::vector<std::string>& values) {
  if (!values.empty()) json[key] = values;
}

Json to_json(const hostinfo::CgroupState& facts) {
  Json json = Json::object();
  put(json, "memory_bytes", facts.memory_bytes);
  put(json, "memory_limit_bytes", facts.memory_limit_bytes);
  put(json, "oom_kills", facts.oom_kills);
  put(json, "cpu_quota", facts.cpu_quota);
  put(json, "times_throttled", facts.times_throttled);
  return json;
}

Json to_json(const hostinfo::Memory& memory) {
  Json json = Json::object();
  put(json, "total_bytes", memory.total_bytes);
  put(json, "available_bytes", memory.available_bytes);
  put(json, "swap_total_bytes", memory.swap_total_bytes);
  put(json, "swap_free_bytes", memory.swap_free_bytes);
  return json;
}

Json to_json(const hostinfo::Disk& disk) {
  return {{"folder", disk.folder},
          {"total_bytes", disk.total_bytes},
          {"free_bytes", disk.free_bytes},
          {"free_files", disk.free_files}};
}

Json to_json(const hostinfo::Link& link) {
  Json json = {{"name", link.name}};
  put(json, "state", link.state);
  json["troubles"] = link.troubles;
  return json;
}

Json to_json(const hostinfo::GpuState& gpu) {
  Json json = {{"index", gpu.gpu.index}};
  put(json, "name", gpu.gpu.name);
  put(json, "pci", gpu.gpu.pci);
  put(json, "fault", gpu.fault);
  put(json, "busy_percent", gpu.busy_percent);
  put(json, "memory_used_bytes", gpu.memory_used_bytes);
  put(json, "memory_total_bytes", gpu.gpu.memory_bytes);
  put(json, "celsius", gpu.celsius);
  put(json, "slowed_by", gpu.slowed_by);
  put(json, "memory_errors_corrected", gpu.memory_errors_corrected);
  put(json, "memory_errors_uncorrected", gpu.memory_errors_uncorrected);
  return json;
}

Json to_json(const ThreadFacts& thread) {
  Json json = {{"tid", thread.tid}, {"name", thread.name}, {"state", state_in_words(thread.state)}};
  put(json, "waits_in", thread.waits_in);
  return json;
}

template <typename T>
Json list_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(to_json(value));
  return list;
}

}  // namespace

Json to_json(const hostinfo::HostState& facts) {
  Json json = {{"wall_ns", facts.clock.wall_ns},
               {"monotonic_ns", facts.monotonic_ns},
               {"clock_is_synchronised", facts.clock.is_synchronised},
               {"clock_largest_error_us", facts.clock.largest_error_us},
               {"cpus", facts.cpus}};
  if (facts.load)
    json["load"] = {facts.load->one_minute, facts.load->five_minutes, facts.load->fifteen_minutes};
  json["memory"] = to_json(facts.memory);
  json["cgroup"] = to_json(facts.cgroup);
  put(json, "oom_kills", facts.oom_kills);
  put(json, "tcp_segments_sent_again", facts.tcp_segments_sent_again);
  json["disks"] = list_of(facts.disks);
  json["links"] = list_of(facts.links);
  json["gpus"] = list_of(facts.gpus);
  put(json, "kernel_lines", facts.kernel_lines);
  return json;
}

Json to_json(const Testimony& testimony) {
  const ProcessFacts& facts = testimony.facts;
  Json json = Json::object();
  put(json, "rank", testimony.subject.rank);
  json["restart"] = testimony.subject.restart;
  json["pid"] = testimony.subject.pid;
  json["state"] = state_in_words(facts.state);
  if (facts.state == process::kGone) return json;
  json["name"] = facts.name;
  put(json, "waits_in", facts.waits_in);
  put(json, "system_call", facts.system_call);
  put(json, "kernel_stack", facts.kernel_stack);
  put(json, "cpu_seconds", facts.cpu_seconds);
  put(json, "resident_bytes", facts.resident_bytes);
  put(json, "peak_resident_bytes", facts.peak_resident_bytes);
  put(json, "swapped_bytes", facts.swapped_bytes);
  put(json, "open_files", facts.open_files);
  put(json, "open_files_limit", facts.open_files_limit);
  put(json, "oom_score", facts.oom_score);
  json["cgroup"] = to_json(facts.cgroup);
  json["thread_count"] = facts.thread_count;
  json["threads"] = list_of(facts.threads);
  return json;
}

Json to_json(const Account& account) {
  Json json = {{"schema", "lockstep-host-v1"}, {"host", account.host.name}};
  if (account.host_at_begin) {
    json["changes"] = account.changes;
    json["at_begin"] = to_json(*account.host_at_begin);
  }
  json["at_fault"] = to_json(account.host);
  json["processes"] = list_of(account.processes);
  json["limits"] = account.limits;
  return json;
}

}  // namespace lockstep::evidence
