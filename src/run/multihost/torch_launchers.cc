#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "run/multihost/launcher_flags.h"
#include "run/multihost/launchers.h"
#include "run/multihost/variables.h"

namespace lockstep::multihost {
namespace {

using Words = std::span<const std::string>;

const std::set<std::string_view> kTorchrunSwitches = {
    "standalone", "m", "module", "no-python", "run-path", "use-env", "virtual-local-rank"};
const std::set<std::string_view> kAccelerateSwitches = {
    "m", "module", "no-python", "multi-gpu", "cpu", "use-deepspeed", "use-fsdp", "tpu", "debug", "quiet"};

// The words behind the launcher; nothing when it is another.
std::optional<Words> behind(const std::vector<std::string>& command,
                            const std::set<std::string_view>& names) {
  const auto name = std::ranges::find_if(command, [&](const std::string& word) {
    return names.contains(std::filesystem::path(word).filename().native());
  });
  if (name == command.end()) return std::nullopt;
  return Words(command).subspan(static_cast<std::size_t>(name - command.begin()) + 1);
}

std::uint32_t most_nodes(const std::string& text) {  // "2" or "1:4"
  return base::number_in<std::uint32_t>(std::string_view(text).substr(text.rfind(':') + 1)).value_or(0);
}

}  // namespace

std::optional<JobPlace> place_by_torchrun(const Launch& launch) {
  const auto words =
      behind(launch.command, {"torchrun", "torch.distributed.run", "torch.distributed.launch"});
  if (!words) return std::nullopt;
  const auto flags = flags_in(*words, kTorchrunSwitches);
  const auto setting = [&](const char* flag, const char* name, std::string otherwise) {
    const auto given = flags.find(flag);
    if (given != flags.end()) return given->second;
    return variable(launch.environment, name).value_or(std::move(otherwise));
  };
  JobPlace place{.index = {},
                 .count = most_nodes(setting("nnodes", "PET_NNODES", "1")),
                 .head = {},
                 .launcher = "torchrun"};
  if (flags.contains("standalone")) place.count = 1;
  if (place.count == 1) return place;
  const std::string backend = setting("rdzv-backend", "PET_RDZV_BACKEND", "static");
  std::string endpoint = setting("rdzv-endpoint", "PET_RDZV_ENDPOINT", "");
  if (endpoint.empty()) {
    endpoint = fmt::format("{}:{}", setting("master-addr", "PET_MASTER_ADDR", "127.0.0.1"),
                           setting("master-port", "PET_MASTER_PORT", "29500"));
  }
  if (backend == "static") {
    place.index = base::number_in<std::uint32_t>(setting("node-rank", "PET_NODE_RANK", "0"));
  }
  if (parse_host_port(endpoint).ok() == false) endpoint += ":29400";
  const auto parsed = parse_host_port(endpoint);
  if (!parsed.ok()) return place;
  const std::string id = setting("rdzv-id", "PET_RDZV_ID", "");
  place.head = HostPort{.host = parsed.value().host,
                        .port = port_from(fmt::format("torchrun {} {}", parsed.value().port, id))};
  return place;
}

std::optional<JobPlace> place_by_accelerate(const Launch& launch) {
  auto words = behind(launch.command, {"accelerate", "accelerate-launch", "accelerate.commands.launch"});
  if (!words) return std::nullopt;
  if (!words->empty() && words->front() == "launch") words = words->subspan(1);
  const auto flags = flags_in(*words, kAccelerateSwitches);
  const auto setting = [&](const char* flag, std::string otherwise) {
    const auto given = flags.find(flag);
    return given == flags.end() ? std::move(otherwise) : given->second;
  };
  JobPlace place{.index = base::number_in<std::uint32_t>(setting("machine-rank", "0")),
                 .count = base::number_in<std::uint32_t>(setting("num-machines", "1")).value_or(0),
                 .head = {},
                 .launcher = "accelerate"};
  if (const std::string host = setting("main-process-ip", ""); !host.empty()) {
    place.head =
        HostPort{.host = host, .port = port_from("accelerate " + setting("main-process-port", "29500"))};
  }
  return place;
}

std::optional<JobPlace> place_by_rank_variables(const Launch& launch) {
  const auto rank = variable(launch.environment, "RANK");
  const auto size = variable(launch.environment, "WORLD_SIZE");
  const auto address = variable(launch.environment, "MASTER_ADDR");
  if (!rank || !size || !address) return std::nullopt;
  const std::string port = variable(launch.environment, "MASTER_PORT").value_or("29500");
  return JobPlace{.index = base::number_in<std::uint32_t>(*rank),
                  .count = base::number_in<std::uint32_t>(*size).value_or(0),
                  .head = HostPort{.host = *address, .port = port_from("ranks " + port)},
                  .launcher = "RANK"};
}

}  // namespace lockstep::multihost
