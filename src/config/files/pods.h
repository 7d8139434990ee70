// The pods that a manifest's template becomes, whatever kind it stands in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/files/yaml_file.h"
#include "config/reading.h"

namespace lockstep::config {

struct PodGroup {
  std::string kind;  // "PyTorchJob"
  std::string job;
  std::string role;                          // "Worker"
  std::optional<std::int64_t> replicas = 1;  // nothing: a template that is not filled in
  std::vector<std::string> names = {};       // of all its pods; empty: not told by the kind
};

// A template of pods: metadata and spec.
void read_pods(const YamlNode& node, const PodGroup& group, const Reading& reading);

// "app=bert", one for each.
base::Json labels_of(const YamlNode& node);

// "${REPLICAS}", "{{ .Values.n }}", "<fill in>".
bool is_template(std::string_view text);

// Of replicas and the like: 1 where nothing is written, nothing where it is no number.
std::optional<std::int64_t> count_in(const YamlNode& node);

// "job-worker-0", "job-worker-1"
std::vector<std::string> numbered_names(const std::string& start, std::optional<std::int64_t> count);

}  // namespace lockstep::config
