// Programs that take a command elsewhere, and launchers whose flags nobody here has read: what they start is
// looked for by its first word.
#include <algorithm>

#include <fmt/format.h>

#include "launchers/launcher.h"

namespace lockstep::launchers {
namespace {

constexpr std::string_view kCarriers =
    " singularity apptainer shifter sarus enroot ch-run docker podman nerdctl kubectl oc ncu nsys dlprof "
    "rocprof "
    "rocprofv2 perf vtune strace valgrind timeout catchsegv sudo gosu tini dumb-init exec chrt numactl "
    "likwid-mpirun "
    "xvfb-run memray py-spy ddtrace-run opentelemetry-instrument wandb mlflow ray torchx sky parallel pdsh "
    "clush "
    "bsub qsub oarsub jsrun aprun flux prun salloc ";

// Whoever starts ranks by flags that are not read.
struct Unread {
  std::string_view program;
  std::string_view action;  // the word behind it; empty: any
};
constexpr Unread kUnread[] = {
    {"composer", ""},     {"colossalai", "run"}, {"ray", "job"},
    {"torchx", "run"},    {"sky", "launch"},     {"jsrun", ""},
    {"aprun", ""},        {"flux", "run"},       {"flux", "submit"},
    {"prun", ""},         {"tune", "run"},       {"fabric", "run"},
    {"lightning", "run"}, {"det", "experiment"}, {"llamafactory-cli", "train"},
    {"swift", ""},        {"xtuner", "train"},   {"axolotl", "train"},
    {"bsub", ""},         {"mpiexec.hydra", ""}, {"ibrun", ""},
    {"lrun", ""},         {"yhrun", ""},         {"ccc_mprun", ""},
    {"dora", "run"},      {"dora", "launch"},
};

bool is_listed(std::string_view names, std::string_view name) {
  return !name.empty() && name.find(' ') == std::string_view::npos &&
         names.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

}  // namespace

bool is_shell(std::string_view program) {
  constexpr std::string_view kShells[] = {"sh", "bash", "dash", "zsh", "ksh"};
  return std::ranges::find(kShells, program) != std::end(kShells);
}

std::size_t words_of_carrier(std::span<const std::string> words) {
  if (words.size() < 2 || !is_listed(kCarriers, program_name(words.front()))) return 0;
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::span<const std::string> rest = words.subspan(at);
    const std::string program = program_name(rest.front());
    const bool is_known = find_launcher(rest) || is_python(program) || is_shell(program) ||
                          words_of_wrapper(rest) > 0 || is_listed(kCarriers, program) ||
                          unread_launcher(rest) || program.ends_with(".sh") || program.ends_with(".sbatch");
    if (is_known) return at;
  }
  return 0;
}

std::optional<std::string> unread_launcher(std::span<const std::string> words) {
  if (words.empty()) return std::nullopt;
  const std::string program = program_name(words.front());
  for (const Unread& known : kUnread) {
    if (program != known.program) continue;
    if (known.action.empty()) return program;
    if (words.size() > 1 && words[1] == known.action) return fmt::format("{} {}", program, known.action);
  }
  return std::nullopt;
}

bool starts_no_ranks(std::span<const std::string> words) {
  constexpr std::string_view kUtilities =
      " hostname nvidia-smi rocm-smi echo mkdir rm cp mv ls ibstat ibv_devinfo date env sleep df cat rsync "
      "tar printenv "
      "ip lscpu free uname whoami id true false test which ping nc ss netstat chmod chown touch find du ldd "
      "module "
      "nvcc dcgmi ulimit pip pip3 conda git wget curl unzip gzip sed awk grep head tail sort wc seq tee "
      "scontrol sinfo squeue sacct scancel sattach ifconfig getent dig nslookup ibdev2netdev mount umount "
      "sync kill "
      "pkill killall ray ";
  if (words.empty()) return true;
  const std::string program = program_name(words.front());
  if (is_listed(kUtilities, program)) return true;
  if (!is_python(program)) return false;
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (words[at] == "-c" || words[at] == "-V" || words[at] == "--version" || words[at] == "-") return true;
    if (words[at] == "-m" && at + 1 < words.size())
      return is_listed(
          " pip venv ensurepip wheel build http.server json.tool site compileall zipfile virtualenv ",
          words[at + 1]);
    if (!words[at].starts_with('-')) return words[at] == "setup.py" || words[at].ends_with("/setup.py");
  }
  return true;
}

}  // namespace lockstep::launchers
