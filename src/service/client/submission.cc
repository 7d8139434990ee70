#include "service/client/submission.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/environment.h"
#include "base/text_fields.h"
#include "service/job/resolve.h"
#include "service/job/spec_fields.h"
#include "service/manifest/manifest.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNames[] = {"PATH",         "HOME",      "USER",       "LANG",
                                       "LC_ALL",       "TMPDIR",    "PYTHONPATH", "VIRTUAL_ENV",
                                       "CONDA_PREFIX", "CUDA_HOME", "HF_HOME",    "LD_LIBRARY_PATH"};
constexpr std::string_view kPrefixes[] = {"TF_",  "KERAS_", "TORCH_", "NCCL_",    "GLOO_",
                                          "XLA_", "OMP_",   "MKL_",   "OPENBLAS_"};

bool goes_along(std::string_view name, Sender from) {
  if (name == "TF_CONFIG") return false;  // the service says who is who
  const bool leads_somewhere = std::ranges::find(kNames, name) != std::end(kNames);
  return (leads_somewhere && from == Sender::kThisMachine) ||
         std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

Result<std::map<std::string, std::string>> submitted_environment(const std::vector<std::string>& environment,
                                                                 const std::vector<std::string>& asked,
                                                                 Sender from) {
  std::map<std::string, std::string> here;
  std::map<std::string, std::string> sent;
  for (const std::string& entry : environment) {
    const std::string name(base::word_of(entry, '='));
    if (name.size() >= entry.size()) continue;
    here[name] = entry.substr(name.size() + 1);
    if (goes_along(name, from)) sent[name] = here[name];
  }
  for (const std::string& wish : asked) {
    const std::string name(base::word_of(wish, '='));
    if (name.size() < wish.size()) {
      sent[name] = wish.substr(name.size() + 1);
    } else if (here.contains(name)) {
      sent[name] = here[name];
    } else {
      return Error{"wrong value for '--env'", wish, "no such variable is set here", "as NAME=VALUE"};
    }
  }
  return sent;
}

std::string interpreter_in(const std::string& path) {
  for (const char* name : {"python3", "python"}) {
    for (const std::string_view folder : process::folders_in(path)) {
      const fs::path program = fs::path(folder) / name;
      if (program.is_absolute() && process::is_program(program)) return program.string();
    }
  }
  return "";
}

namespace {

constexpr std::size_t kMaxFiles = 1024;       // code, not data
constexpr std::size_t kMaxBytes = 5'000'000;  // as base64 they fit the largest request

bool is_left_out(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') || name == "__pycache__";
}

class Sending {
 public:
  Result<void> add(const fs::path& path) {
    std::error_code fault;
    if (!fs::is_directory(path, fault)) return add_file(path, path_in_job(path));
    // "src/" and "src" are the same folder.
    const fs::path folder = path.has_filename() ? path : path.parent_path();
    for (auto entry = fs::recursive_directory_iterator(folder, fault);
         !fault && entry != fs::recursive_directory_iterator(); entry.increment(fault)) {
      if (is_left_out(entry->path())) {
        if (entry->is_directory()) entry.disable_recursion_pending();
        continue;
      }
      if (entry->is_regular_file())
        TRY(add_file(entry->path(), (fs::path(path_in_job(folder)) / entry->path().lexically_relative(folder))
                                        .lexically_normal()
                                        .string()));
    }
    if (fault) return Error{"cannot read the folder", folder.string(), fault.message(), ""};
    return {};
  }

  std::map<std::string, std::string> take() { return std::move(files_); }

 private:
  Result<void> add_file(const fs::path& path, const std::string& name) {
    std::error_code missing;  // whoever reads it says so
    const std::uintmax_t size = fs::file_size(path, missing);
    if (!missing && (size > kMaxBytes - bytes_ || files_.size() == kMaxFiles)) return too_much(path);
    std::string bytes = TRY(base::read_file(path, kMaxBytes - bytes_));
    bytes_ += bytes.size();
    files_[name] = std::move(bytes);
    return {};
  }

  static Error too_much(const fs::path& path) {
    return {"too much to send along", path.string(),
            fmt::format("a job takes {} files of {} MB together", kMaxFiles, kMaxBytes / 1'000'000),
            "put data where the ranks can read it, and send the code alone"};
  }

  std::map<std::string, std::string> files_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::string path_in_job(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  const fs::path relative = whole.lexically_relative(fs::current_path());
  const bool is_below = !relative.empty() && *relative.begin() != "..";
  if (is_below) return relative == "." ? "" : relative.string();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

Result<std::map<std::string, std::string>> read_sent_files(const std::vector<std::string>& paths) {
  Sending sending;
  for (const std::string& path : paths) TRY(sending.add(path));
  return sending.take();
}

namespace {

constexpr std::size_t kMaxScriptBytes = std::size_t{16} << 20;

// "train.py" as a name of Kubernetes: lower letters, digits and dashes.
std::string object_name(const JobSpec& spec) {
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

std::vector<std::string> command_in_image(const JobSpec& spec) {
  if (spec.script.empty()) return spec.command;
  std::vector<std::string> command = {"python3", spec.script};
  command.insert(command.end(), spec.args.begin(), spec.args.end());
  return command;
}

Framework framework_of(const JobSpec& spec) {
  if (spec.framework || spec.script.empty()) return spec.framework.value_or(Framework::kPlain);
  const auto text = base::read_file(spec.script, kMaxScriptBytes);
  return guess_framework(text.ok() ? text.value() : "", spec.environment).framework;
}

// Variables of this shell mean nothing in a container: only those that the user names are sent.
std::map<std::string, std::string> named_variables(const std::vector<std::string>& asked,
                                                   const std::map<std::string, std::string>& all) {
  std::map<std::string, std::string> named;
  for (const std::string& entry : asked) {
    const auto found = all.find(entry.substr(0, entry.find('=')));
    if (found != all.end()) named.insert(*found);
  }
  return named;
}

}  // namespace

Result<base::Json> manifest_for(const base::Json& request, const ManifestWish& wish) {
  const DecodedSpec decoded = decode_spec(request);
  if (!decoded.faults.empty())
    return Error{"cannot make a manifest", decoded.faults.front().pointer, decoded.faults.front().detail, ""};
  const JobSpec& spec = decoded.spec;
  if (wish.image.empty())
    return Error{"cannot make a manifest", "--image", "is missing", "name the container image"};
  ManifestRequest wanted;
  wanted.name = object_name(spec);
  wanted.image = wish.image;
  wanted.command = command_in_image(spec);
  wanted.framework = framework_of(spec);
  wanted.workers = spec.workers_max;
  wanted.cpus_per_worker = spec.cpus_per_worker.value_or(1);
  wanted.gpus_per_worker = spec.gpus_per_worker.value_or(0);
  wanted.memory_per_worker = spec.memory_per_worker;
  wanted.time_limit_s = spec.time_limit_s;
  wanted.environment = named_variables(wish.variables, spec.environment);
  const auto kind = manifest_kind_named(wish.kind);
  if (!kind) return Error{"cannot make a manifest", "--dry-run", "no such kind", ""};
  return manifest_of(*kind, wanted);
}

}  // namespace lockstep::service
