#include "hostinfo/collect/software.h"

#include <algorithm>
#include <array>

#include "base/lines.h"
#include "base/process/environment.h"
#include "base/process/proc_files.h"
#include "base/text_fields.h"

namespace lockstep::hostinfo {
namespace {

namespace fs = std::filesystem;

// Daemons that MPI's launchers start on other hosts, and what launchers themselves need.
constexpr std::array kPrograms = {"orted", "prted", "hydra_pmi_proxy", "pdsh", "ssh", "srun", "nvidia-smi"};
constexpr std::array kServices = {"nv-fabricmanager", "opensm"};

// Processes of these names; the kernel cuts a name after 15 letters.
std::vector<std::string> running_services() {
  std::vector<std::string> found;
  std::error_code fault;
  for (fs::directory_iterator at("/proc", fault), end; !fault && at != end; at.increment(fault)) {
    if (!base::number_in<unsigned>(at->path().filename().string())) continue;
    const std::string name(base::trimmed(process::text_of(at->path() / "comm")));
    for (const std::string_view service : kServices)
      if (name == service.substr(0, 15)) found.emplace_back(service);
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

unsigned entries_in(const fs::path& folder) {
  std::error_code fault;
  unsigned count = 0;
  for (fs::directory_iterator at(folder, fault), end; !fault && at != end; at.increment(fault)) ++count;
  return count;
}

// The transport plugin that NCCL would load: NCCL_NET_PLUGIN is a name, a part of one, or a path.
std::string plugin_library(std::string_view wanted) {
  if (wanted.empty()) return "libnccl-net.so";
  if (wanted.find(".so") != std::string_view::npos) return std::string(wanted);
  return "libnccl-net-" + std::string(wanted) + ".so";
}

}  // namespace

std::string library_in(std::string_view library_path, std::span<const fs::path> usual,
                       const std::string& name) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos) return fs::exists(name, ignored) ? name : "";
  std::vector<fs::path> folders;
  for (const std::string_view folder : process::folders_in(library_path)) folders.emplace_back(folder);
  folders.insert(folders.end(), usual.begin(), usual.end());
  for (const fs::path& folder : folders)
    if (fs::exists(folder / name, ignored)) return (folder / name).string();
  return "";
}

std::optional<bool> removes_ipc(std::string_view logind_conf) {
  std::optional<bool> said;
  base::Lines lines{logind_conf};
  while (const auto line = lines.next()) {
    const std::string_view words = base::trimmed(*line);
    if (!words.starts_with("RemoveIPC=")) continue;
    const std::string_view value = base::rest_after(words, "=");
    said = value == "yes" || value == "true" || value == "1" || value == "on";
  }
  return said;
}

void take_software(HostFacts& facts) {
  for (const char* name : kPrograms) facts.programs[name] = process::program_in(facts.variable("PATH"), name);
  const std::array<fs::path, 6> usual = {"/lib",       "/usr/lib",       "/usr/lib/x86_64-linux-gnu",
                                         "/usr/lib64", "/usr/local/lib", "/opt/amazon/ofi-nccl/lib"};
  const std::string plugin = plugin_library(facts.variable("NCCL_NET_PLUGIN"));
  facts.nccl_plugin = {.name = plugin, .path = library_in(facts.variable("LD_LIBRARY_PATH"), usual, plugin)};
  facts.services = running_services();
  facts.gpus.switches = entries_in("/proc/driver/nvidia-nvswitch/devices");
  facts.machine.removes_ipc = removes_ipc(process::text_of("/etc/systemd/logind.conf"));
}

}  // namespace lockstep::hostinfo
