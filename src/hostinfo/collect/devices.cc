#include <algorithm>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/process/proc_files.h"
#include "base/text_fields.h"
#include "hostinfo/collect/parts.h"
#include "hostinfo/collect/program.h"

namespace lockstep::hostinfo {
namespace {

namespace fs = std::filesystem;

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::string_view field = base::word_of(line, ',');
    fields.push_back(base::trimmed(field));
    if (field.size() == line.size()) return fields;
    line.remove_prefix(field.size() + 1);
  }
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code fault;
  for (fs::directory_iterator at(folder, fault), end; !fault && at != end; at.increment(fault))
    entries.push_back(at->path());
  std::ranges::sort(entries);
  return entries;
}

std::string line_of(const fs::path& file) {
  return std::string(base::trimmed(process::text_of(file)));
}

std::vector<Gid> gids_of(const fs::path& port) {
  std::vector<Gid> gids;
  for (const fs::path& entry : entries_of(port / "gids")) {
    const auto index = base::number_in<unsigned>(entry.filename().string());
    std::string gid = line_of(entry);
    const bool is_empty = gid.find_first_not_of("0:") == std::string::npos;
    if (!index || is_empty) continue;
    gids.push_back({.index = *index,
                    .gid = std::move(gid),
                    .type = line_of(port / "gid_attrs/types" / entry.filename()),
                    .interface = line_of(port / "gid_attrs/ndevs" / entry.filename())});
  }
  std::ranges::sort(gids, {}, &Gid::index);
  return gids;
}

RdmaPort port_at(const fs::path& folder) {
  RdmaPort port;
  port.number = base::number_in<unsigned>(folder.filename().string()).value_or(0);
  const std::string state = line_of(folder / "state");  // "4: ACTIVE"
  port.state = base::trimmed(state.find(':') == std::string::npos ? state : base::rest_after(state, ":"));
  port.link_layer = line_of(folder / "link_layer");
  port.rate = line_of(folder / "rate");
  port.gids = gids_of(folder);
  for (const fs::path& key : entries_of(folder / "pkeys"))
    if (std::string text = line_of(key); !text.empty() && text != "0x0000")
      port.partition_keys.push_back(std::move(text));
  return port;
}

}  // namespace

Gpus gpus_in(std::string_view csv) {
  Gpus found;
  base::Lines lines(csv);
  while (const auto line = lines.next()) {
    const auto fields = fields_of(*line);
    if (fields.size() < 6) continue;
    const auto index = base::number_in<unsigned>(fields[0]);
    if (!index) continue;
    Gpu gpu{.index = *index,
            .uuid = std::string(fields[1]),
            .name = std::string(fields[2]),
            .pci = std::string(fields[3]),
            .memory_bytes = {}};
    if (const auto mebibytes = base::number_in<std::uint64_t>(fields[4]); mebibytes && *mebibytes < 1U << 30)
      gpu.memory_bytes = *mebibytes << 20;
    found.driver = fields[5];
    found.gpus.push_back(std::move(gpu));
  }
  return found;
}

std::string module_version_in(std::string_view text) {
  const std::string_view rest = base::trimmed(base::rest_after(base::word_of(text, '\n'), "Module"));
  // "Open Kernel Module for x86_64  550.54.15": the version is the first word with digits and a dot.
  for (std::string_view left = rest; !left.empty(); left = base::trimmed(left)) {
    const std::string_view word = base::word_of(left);
    const bool is_version = word.find('.') != std::string_view::npos &&
                            word.find_first_not_of("0123456789.") == std::string_view::npos;
    if (is_version) return std::string(word);
    left.remove_prefix(word.size());
  }
  return {};
}

std::vector<RdmaDevice> rdma_devices_in(const fs::path& folder) {
  std::vector<RdmaDevice> devices;
  for (const fs::path& entry : entries_of(folder)) {
    RdmaDevice device{.name = entry.filename().string(), .ports = {}};
    for (const fs::path& port : entries_of(entry / "ports")) device.ports.push_back(port_at(port));
    devices.push_back(std::move(device));
  }
  return devices;
}

void take_gpus(HostFacts& facts) {
  facts.gpus.kernel_module = module_version_in(process::text_of("/proc/driver/nvidia/version"));
  const Answer answer =
      ask({"nvidia-smi", "--query-gpu=index,uuid,name,pci.bus_id,memory.total,driver_version",
           "--format=csv,noheader,nounits"},
          std::chrono::seconds(20));
  if (answer.ok()) {
    auto seen = gpus_in(answer.text);
    seen.kernel_module = std::move(facts.gpus.kernel_module);
    facts.gpus = std::move(seen);
    if (facts.gpus.gpus.empty())
      facts.unseen.push_back(fmt::format("gpus: nvidia-smi says: {}", base::word_of(answer.text, '\n')));
  } else {
    facts.unseen.push_back(fmt::format("gpus: {}", answer.why_not));
  }
}

void take_rdma(HostFacts& facts) {
  facts.rdma_devices = rdma_devices_in("/sys/class/infiniband");
}

}  // namespace lockstep::hostinfo
