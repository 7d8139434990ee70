#include "cli/submitted_manifest.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "service/job/resolve.h"
#include "service/job/spec_fields.h"
#include "service/manifest/manifest.h"

namespace lockstep::cli {
namespace {

constexpr std::size_t kLargestScript = std::size_t{16} << 20;

// Variables of this shell mean nothing in a container: only those that were named go along.
std::map<std::string, std::string> named_variables(const Args& args,
                                                   const std::map<std::string, std::string>& all) {
  std::map<std::string, std::string> named;
  for (const std::string& entry : args.values("env")) {
    const auto found = all.find(entry.substr(0, entry.find('=')));
    if (found != all.end()) named.insert(*found);
  }
  return named;
}

// "train.py" as a name of Kubernetes: lower letters, digits and dashes.
std::string object_name(const service::JobSpec& spec) {
  const std::string& from = spec.script.empty() ? spec.command.front() : spec.script;
  std::string name = "lockstep-";
  for (const char c : std::filesystem::path(from).stem().string()) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_plain) name += c;
    if (c >= 'A' && c <= 'Z') name += static_cast<char>(c - 'A' + 'a');
    if (c == '_' || c == '-' || c == '.') name += '-';
  }
  name.resize(std::min<std::size_t>(name.size(), 40));
  while (name.back() == '-') name.pop_back();
  return name;
}

std::vector<std::string> command_in_image(const service::JobSpec& spec) {
  if (spec.script.empty()) return spec.command;
  std::vector<std::string> command = {"python3", spec.script};
  command.insert(command.end(), spec.args.begin(), spec.args.end());
  return command;
}

service::Framework framework_of(const service::JobSpec& spec) {
  if (spec.framework || spec.script.empty()) return spec.framework.value_or(service::Framework::kPlain);
  const auto text = base::read_file(spec.script, kLargestScript);
  return service::guess_framework(text.ok() ? text.value() : "", spec.environment).framework;
}

}  // namespace

Result<ExitStatus> show_manifest(const Args& args, const base::Json& request, Terminal& terminal) {
  const service::DecodedSpec decoded = service::decode_spec(request);
  if (!decoded.faults.empty())
    return Error{"cannot make a manifest", decoded.faults.front().pointer, decoded.faults.front().detail, ""};
  const service::JobSpec& spec = decoded.spec;
  const std::string image = args.value("image").value_or("");
  if (image.empty())
    return Error{"cannot make a manifest", "--image", "is missing", "name the container image"};
  service::ManifestRequest wanted;
  wanted.name = object_name(spec);
  wanted.image = image;
  wanted.command = command_in_image(spec);
  wanted.framework = framework_of(spec);
  wanted.workers = spec.workers_max;
  wanted.cpus_per_worker = spec.cpus_per_worker.value_or(1);
  wanted.gpus_per_worker = spec.gpus_per_worker.value_or(0);
  wanted.memory_per_worker = spec.memory_per_worker;
  wanted.time_limit_s = spec.time_limit_s;
  wanted.environment = named_variables(args, spec.environment);
  const auto kind = service::manifest_kind_named(args.value("dry-run").value_or(""));
  if (!kind) return Error{"cannot make a manifest", "--dry-run", "no such kind", ""};
  const base::Json made = TRY(service::manifest_of(*kind, wanted));
  TRY(terminal.write(base::to_text(made, base::JsonLayout::kIndented)));
  return ExitStatus::kNothingFound;
}

}  // namespace lockstep::cli
