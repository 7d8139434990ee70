#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/process/environment.h"
#include "base/process/proc_files.h"
#include "base/text_fields.h"
#include "hostinfo/collect/parts.h"
#include "hostinfo/collect/program.h"

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

namespace {

// Metadata of installed distributions, and the files in which PyTorch and Horovod keep what they were built
// for. Importing a framework would take seconds and could touch a GPU.
constexpr const char* kQuestion = R"python(
import glob, json, os, re, sys
from importlib import metadata, util
said = {"python": sys.version.split()[0], "python.path": sys.executable}
names = {"torch", "tensorflow", "tensorflow-cpu", "tf-keras", "keras", "horovod", "deepspeed", "accelerate",
         "transformers", "lightning", "megatron-core", "jax", "mpi4py", "numpy", "triton", "ray", "dlrover"}
for found in metadata.distributions():
    name = (found.metadata["Name"] or "").lower()
    if name in names or name.startswith("nvidia-") or name.startswith("nccl"):
        said.setdefault(name, found.version)
def folder(name):
    try:
        spec = util.find_spec(name)
        return os.path.dirname(spec.origin) if spec and spec.origin else ""
    except Exception:
        return ""
torch = folder("torch")
if torch:
    said["torch.path"] = torch
    try:
        text = open(os.path.join(torch, "version.py")).read()
        said.setdefault("torch", "".join(re.findall(r"__version__ = ['\"]([^'\"]+)", text)[:1]))
        for key in ("cuda", "hip"):
            value = re.findall(key + r"[^=\n]*= ['\"]([^'\"]+)", text)
            if value: said["torch." + key] = value[0]
    except OSError:
        pass
for name, value in list(said.items()):
    if name.startswith("nvidia-nccl"): said["nccl"] = value
    if name.startswith("nvidia-cudnn"): said["cudnn"] = value
horovod = folder("horovod")
if horovod:
    said["horovod.built_for"] = ",".join(
        kind for kind in ("torch", "tensorflow", "mxnet")
        if glob.glob(os.path.join(horovod, kind, "mpi_lib*.so")))
print(json.dumps(said))
)python";

void take_python(const std::string& python, HostFacts& facts) {
  const std::string program = python.empty() ? "python3" : python;
  const Answer answer = ask({program, "-c", kQuestion}, std::chrono::seconds(20));
  if (!answer.ok()) {
    facts.unseen.push_back(
        fmt::format("versions: {}; name the job's interpreter with --python", answer.why_not));
    return;
  }
  const auto said = base::parse_json(answer.text, program);
  if (!said.ok() || !said.value().is_object()) {
    facts.unseen.push_back(fmt::format("versions: {} did not tell them", program));
    return;
  }
  for (const auto& [name, version] : said.value().items())
    if (version.is_string() && !version.get<std::string>().empty())
      facts.versions[name] = version.get<std::string>();
}

// "mpirun (Open MPI) 4.1.4", "HYDRA build details: Version: 4.0.2", "Intel(R) MPI Library ... Version 2021.9"
void take_mpi(HostFacts& facts) {
  if (!is_installed("mpirun")) return;
  const Answer answer = ask({"mpirun", "--version"});
  const std::string_view text = base::trimmed(answer.text);
  if (text.starts_with("HYDRA")) {
    facts.versions["mpi"] = fmt::format(
        "MPICH {}", base::trimmed(base::word_of(base::trimmed(base::rest_after(text, "Version:")), " \n")));
  } else if (!text.empty()) {
    std::string_view line = base::word_of(text, '\n');
    if (line.starts_with("mpirun ")) line.remove_prefix(7);
    facts.versions["mpi"] = line;
  }
}

}  // namespace

void take_versions(const std::string& python, HostFacts& facts) {
  take_python(python, facts);
  take_mpi(facts);
  if (!facts.gpus.driver.empty()) facts.versions["cuda.driver"] = facts.gpus.driver;
  if (const Answer answer = is_installed("nvcc") ? ask({"nvcc", "--version"}) : Answer{};
      !answer.text.empty())
    facts.versions["cuda.toolkit"] = base::word_of(base::rest_after(answer.text, "release "), ',');
}

}  // namespace lockstep::hostinfo
