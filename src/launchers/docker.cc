#include "config/launchers/docker.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "config/flag_table.h"

namespace lockstep::config {
namespace {

constexpr LauncherFlag kFlags[] = {
    {"-e --env", 1},
    {"--env-file", 1},
    {"--network --net", 1},
    {"--ipc --pid --uts --userns --cgroupns", 1},
    {"--shm-size", 1},
    {"--ulimit", 1},
    {"--device", 1},
    {"--gpus --runtime", 1},
    {"--cap-add --cap-drop --security-opt", 1},
    {"-h --hostname", 1},
    {"--name", 1},
    {"-p --publish", 1},
    {"-v --volume", 1},
    {"--mount --tmpfs --workdir --user --entrypoint --memory --cpus --cpuset-cpus --pids-limit", 1},
    {"-w", 1},
    {"-u", 1},
    {"-m", 1},
    {"-l --label", 1},
    {"--add-host --dns --ip --ip6 --network-alias --expose --platform --restart --log-driver", 1},
    {"--log-opt --label-file --cidfile --group-add --sysctl --stop-signal --stop-timeout --pull", 1},
    {"--memory-swap --oom-score-adj --cpu-shares --cpu-quota --health-cmd --hooks-dir --annotation", 1},
    {"-a --attach", 1},
    {"-c", 1},
    {"-i --interactive", 0},
    {"-t --tty", 0},
    {"-d --detach", 0},
    {"-P --publish-all", 0},
    {"-q --quiet", 0},
    {"--rm --privileged --init --read-only --no-healthcheck --oom-kill-disable", 0},
};
constexpr LauncherTable kTable{"docker run", kFlags, {.short_may_be_joined = true}};

std::string canonical(const std::string& name) {
  if (name == "e") return "env";
  if (name == "net") return "network";
  if (name == "h") return "hostname";
  if (name == "p") return "publish";
  return name;
}

void read_variable(const std::string& text, const Reading& reading) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return;  // handed on from the environment, where it already is
  reading.put("env/" + text.substr(0, equals), text.substr(equals + 1), "flag -e");
}

// memlock=-1:-1
void read_limit(const std::string& container, const std::string& text, const Reading& reading) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return;
  const std::string value = text.substr(equals + 1);
  reading.put(container + "/ulimits/" + text.substr(0, equals), value.substr(0, value.find(':')),
              "flag --ulimit");
}

void read_flag(const std::string& container, const TypedFlag& flag, const Reading& reading) {
  const std::string name = canonical(flag.name);
  const std::string how = "flag " + flag.words.front().substr(0, flag.words.front().find('='));
  if (name == "env") return read_variable(flag.values.front(), reading);
  if (name == "ulimit") return read_limit(container, flag.values.front(), reading);
  if (name == "shm_size") {
    if (const auto size = size_in_bytes(flag.values.front()))
      reading.settings.set(container + "/shm_bytes", *size, reading.origin(how));
    return;
  }
  const bool is_list = name == "device" || name == "cap_add" || name == "publish";
  if (is_list) {
    reading.settings.append(container + "/" + name, flag.values.front(), reading.origin(how));
  } else if (flag.values.empty()) {
    reading.settings.set(container + "/" + name, true, reading.origin(how));
  } else {
    reading.put(container + "/" + name, flag.values.front(), how);
  }
}

}  // namespace

std::optional<std::int64_t> size_in_bytes(std::string_view text) {
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  const auto number = base::number_in<std::int64_t>(digits);
  if (!number) return std::nullopt;
  const std::string_view unit = text.substr(digits.size());
  int shift = 0;
  if (unit.starts_with('k') || unit.starts_with('K')) shift = 10;
  if (unit.starts_with('m') || unit.starts_with('M')) shift = 20;
  if (unit.starts_with('g') || unit.starts_with('G')) shift = 30;
  if (unit.starts_with('t') || unit.starts_with('T')) shift = 40;
  if (*number > (std::int64_t{1} << 20)) return shift == 0 ? number : std::nullopt;
  return *number << shift;
}

Words read_docker_run(std::span<const std::string> words, const Reading& reading) {
  const auto run = std::ranges::find(words.begin(), words.end(), "run");
  if (run == words.end()) return {};
  const auto split = split_command(words.subspan(static_cast<std::size_t>(run - words.begin()) + 1), kTable);
  if (!split.ok()) {
    reading.fault(fmt::format("{}: {}", split.error().where, split.error().why));
    return {};
  }
  const std::string container =
      reading.settings.append("containers", base::Json::object(), reading.origin("command"));
  for (const TypedFlag& flag : split.value().flags) read_flag(container, flag, reading);
  const Words& program = split.value().program;
  if (program.empty()) return {};
  reading.put(container + "/image", program.front(), "command");
  return Words(program.begin() + 1, program.end());
}

}  // namespace lockstep::config
