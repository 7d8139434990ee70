// The pods that a manifest's template becomes.
#include "config/files/pods.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::config {
namespace {

using base::Json;
using Pod = Fields::Pod;

constexpr std::int64_t kMaxPodsNamed = 256;

// Variables that operators set in the containers of a kind. What stands in a manifest wins over them.
std::string_view operator_of(std::string_view kind) {
  constexpr std::string_view kKinds[] = {"PyTorchJob",
                                         "JAXJob",
                                         "XGBoostJob",
                                         "PaddleJob",
                                         "TrainJob",
                                         "TrainingRuntime",
                                         "ClusterTrainingRuntime",
                                         "LeaderWorkerSet"};
  const auto* const found = std::ranges::find(kKinds, kind);
  return found == std::end(kKinds) ? std::string_view() : *found;
}

class PodReader {
 public:
  PodReader(const YamlNode& pod, const YamlNode& metadata, const Reading& reading)
      : pod_(pod), metadata_(metadata), reading_(reading) {}

  void read(const PodGroup& group) {
    group_ = reading_.launch.append_group(Fields::kPods, pod_.origin());
    set(Pod::kKind, group.kind);
    set(Pod::kJob, group.job);
    set(Pod::kRole, group.role);
    read_count(group);
    copy(Pod::kHostNetwork, pod_["hostNetwork"], pod_["hostNetwork"].is_true());
    copy(Pod::kHasHostIpc, pod_["hostIPC"], pod_["hostIPC"].is_true());
    copy(Pod::kDnsPolicy, pod_["dnsPolicy"], pod_["dnsPolicy"].text());
    copy(Pod::kSubdomain, pod_["subdomain"], pod_["subdomain"].text());
    copy(Pod::kLabels, metadata_["labels"], labels_of(metadata_["labels"]));
    copy(Pod::kAnnotations, metadata_["annotations"], labels_of(metadata_["annotations"]));
    copy(Pod::kAntiAffinity, pod_["affinity"]["podAntiAffinity"], true);
    read_shared_memory();
    const YamlNode container = main_container();
    read_container(container);
    read_its_command(container, group);
  }

 private:
  template <typename T>
  void set(const Member<T>& member, Json value) {
    reading_.launch.set(group_->at(member), std::move(value), pod_.origin());
  }
  template <typename T>
  void copy(const Member<T>& member, const YamlNode& from, Json value) {
    if (from.exists()) reading_.launch.set(group_->at(member), std::move(value), from.origin());
  }

  void read_count(const PodGroup& group) {
    if (group.replicas) {
      set(Pod::kReplicas, *group.replicas);
    } else {
      reading_.launch.set(Fields::at_run_time(group_->at(Pod::kReplicas)), "not filled in", pod_.origin());
      reading_.fault(fmt::format("the number of pods of {} is not filled in", group.role));
    }
    if (!group.names.empty()) set(Pod::kNames, Json(group.names));
  }

  // Sidecars stand beside it: the one with GPUs, else the one with a command, else the first.
  YamlNode main_container() const {
    const YamlNode containers = pod_["containers"];
    for (std::size_t i = 0; i < containers.size(); ++i) {
      for (const std::string& resource : containers.at(i)["resources"]["limits"].keys())
        if (resource.ends_with("/gpu")) return containers.at(i);
    }
    for (std::size_t i = 0; i < containers.size(); ++i)
      if (containers.at(i)["command"].exists() || containers.at(i)["args"].exists()) return containers.at(i);
    return containers.at(0);
  }

  // An emptyDir in memory that some container mounts at /dev/shm.
  void read_shared_memory() {
    const YamlNode mounts = main_container()["volumeMounts"];
    for (std::size_t i = 0; i < mounts.size(); ++i) {
      if (mounts.at(i)["mountPath"].text() != "/dev/shm") continue;
      const YamlNode volumes = pod_["volumes"];
      for (std::size_t k = 0; k < volumes.size(); ++k) {
        if (volumes.at(k)["name"].text() != mounts.at(i)["name"].text()) continue;
        const YamlNode limit = volumes.at(k)["emptyDir"]["sizeLimit"];
        copy(Pod::kHasSharedMemory, volumes.at(k), true);
        if (const auto size = size_in_bytes(limit.text())) copy(Pod::kSharedMemoryBytes, limit, *size);
      }
    }
  }

  void read_gpus(const YamlNode& request) {
    copy(Pod::kHasGpuRequest, request, true);
    if (const auto count = request.number()) {
      copy(Pod::kGpus, request, *count);
      return;
    }
    const std::string text = request.exists() ? request.text() : std::string();
    const Origin origin = request.origin();
    reading_.launch.set(Fields::at_run_time(group_->at(Pod::kGpus)), text, origin);
    Reading here = reading_;
    here.place.line = origin.line;
    here.fault(text.empty() ? std::string("the number of GPUs is empty")
                            : fmt::format("the number of GPUs is not filled in: {}", text));
  }

  void read_container(const YamlNode& container) {
    copy(Pod::kImage, container["image"], container["image"].text());
    const YamlNode variables = container["env"];
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const YamlNode value = variables.at(i)["value"];
      const std::string name = variables.at(i)["name"].text();
      if (value.exists() && !is_template(value.text())) {
        reading_.launch.set(Fields::entry(group_->at(Pod::kVariables), name), value.text(), value.origin());
      } else if (!name.empty()) {
        open_variables_.push_back(name);
      }
    }
    const YamlNode limits = container["resources"]["limits"];
    const YamlNode requests = container["resources"]["requests"];
    for (const YamlNode& resources : {limits, requests}) {
      for (const std::string& resource : resources.keys()) {
        if (resource.ends_with("/gpu") && !reading_.launch.has(group_->at(Pod::kHasGpuRequest)))
          read_gpus(resources[resource]);
      }
    }
    for (const std::string& resource : limits.keys()) {
      const bool is_rdma = resource.find("rdma") != std::string::npos ||
                           resource.find("hca") != std::string::npos || resource.ends_with("/ib");
      if (is_rdma) copy(Pod::kRdma, limits[resource], resource);
    }
    const YamlNode security = container["securityContext"];
    const YamlNode added = security["capabilities"]["add"];
    if (security["privileged"].is_true()) copy(Pod::kMayLockMemory, security, true);
    for (std::size_t i = 0; i < added.size(); ++i) {
      if (added.at(i).text() == "IPC_LOCK" || added.at(i).text() == "ALL")
        copy(Pod::kMayLockMemory, added, true);
    }
    const YamlNode ports = container["ports"];
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (const auto port = ports.at(i)["hostPort"].number())
        reading_.launch.append(group_->at(Pod::kHostPorts), *port, ports.at(i).origin());
    }
  }

  // $(NAME) stands for the container's own variable; ${NAME} and $NAME outside of a shell were to be filled
  // in.
  std::string filled_in(const std::string& text, bool is_shell_text) const {
    std::string filled;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t sign = std::min(text.find('$', at), text.size());
      filled += text.substr(at, sign - at);
      if (sign + 1 >= text.size()) {
        filled += text.substr(sign);
        break;
      }
      const char open = text[sign + 1];
      const char close = open == '(' ? ')' : '}';
      const bool is_braced = open == '(' || open == '{';
      const std::string name(shell::name_at_start(std::string_view(text).substr(sign + (is_braced ? 2 : 1))));
      const std::size_t end = sign + (is_braced ? 2 : 1) + name.size();
      const bool is_whole = !name.empty() && (!is_braced || (end < text.size() && text[end] == close));
      const auto value = reading_.launch.get(Fields::entry(group_->at(Pod::kVariables), name));
      const bool is_known = open == '(' && value;
      const bool is_filled =
          is_whole && (is_known || !is_shell_text ||
                       (open == '(' && std::ranges::find(open_variables_, name) != open_variables_.end()));
      const std::size_t length = is_whole ? end + (is_braced ? 1 : 0) - sign : 1;
      const std::string written = text.substr(sign, length);
      filled += is_filled ? (is_known ? value->value : shell::open_part(written)) : written;
      at = sign + length;
    }
    if (!is_shell_text && filled.find("{{") != std::string::npos) return shell::open_part(text);
    return filled;
  }

  void read_its_command(const YamlNode& container, const PodGroup& group) {
    std::vector<shell::Word> words;
    for (const char* part : {"command", "args"}) {
      for (std::size_t i = 0; i < container[part].size(); ++i) {
        const YamlNode node = container[part].at(i);
        const bool is_shell_text = !words.empty() && words.back().text.starts_with('-') &&
                                   !words.back().text.starts_with("--") && words.back().text.ends_with('c');
        const Origin origin = node.origin();
        // The text of a block stands below its mark.
        const bool is_block = is_shell_text && node.text().find('\n') != std::string::npos;
        words.push_back({filled_in(node.text(), is_shell_text),
                         {origin.file, origin.line.value_or(0) + (is_block ? 1 : 0)},
                         {}});
      }
    }
    if (words.empty()) return;
    Reading inside = reading_;
    inside.place = (container["command"].exists() ? container["command"] : container["args"]).origin();
    inside.place.how.clear();
    if (const std::string_view kind = operator_of(group.kind); !kind.empty()) {
      for (const char* name : {"MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK", "PET_NNODES",
                               "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT",
                               "PET_RDZV_ENDPOINT", "PET_RDZV_BACKEND", "PET_RDZV_ID"})
        inside.put_variable(name, shell::open_part(fmt::format("set by the operator of {}", kind)),
                            inside.place);
    }
    for (const auto& [name, value] : variables_of_pod())
      inside.put_variable(name, value,
                          *reading_.launch.origin_of(Fields::entry(group_->at(Pod::kVariables), name)));
    for (const std::string& name : open_variables_)
      inside.put_variable(name, shell::open_part("$" + name), inside.place);
    read_command(CommandLine(words), inside);
    // They are the pod's, and not of all that the manifests say.
    reading_.launch.erase(Fields::kVariables);
    if (const auto processes = whole_number(reading_.launch.text(Fields::kTorchrunRanksPerNode)))
      set(Pod::kRanks, *processes);
  }

  TextMap variables_of_pod() const {
    const auto variables = reading_.launch.get(group_->at(Pod::kVariables));
    return variables ? variables->value : TextMap();
  }

  YamlNode pod_;
  YamlNode metadata_;
  const Reading& reading_;
  std::optional<NamedField<Group>> group_;
  std::vector<std::string> open_variables_;
};

}  // namespace

base::Json labels_of(const YamlNode& node) {
  Json labels = Json::array();
  for (const std::string& key : node.keys()) labels.push_back(key + "=" + node[key].text());
  return labels;
}

bool is_template(std::string_view text) {
  return text.find("${") != std::string_view::npos || text.find("{{") != std::string_view::npos ||
         (text.starts_with('$') && text.size() > 1) || (text.starts_with('<') && text.ends_with('>'));
}

std::optional<std::int64_t> count_in(const YamlNode& node) {
  return node.exists() ? node.number() : std::optional<std::int64_t>(1);
}

std::vector<std::string> numbered_names(const std::string& start, std::optional<std::int64_t> count) {
  std::vector<std::string> names;
  if (start.empty() || start.front() == '-' || !count || *count > kMaxPodsNamed || is_template(start))
    return names;
  for (std::int64_t i = 0; i < *count; ++i) names.push_back(fmt::format("{}-{}", start, i));
  return names;
}

void read_pods(const YamlNode& node, const PodGroup& group, const Reading& reading) {
  if (!node["spec"].exists()) return;
  PodReader(node["spec"], node["metadata"], reading).read(group);
}

}  // namespace lockstep::config
