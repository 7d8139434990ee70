#include "launchers/place.h"

#include "base/text_fields.h"

namespace lockstep::launchers {
namespace {

// Below the ports that the kernel gives to clients.
constexpr std::uint16_t kFirstPort = 20'000;
constexpr std::uint16_t kPorts = 10'000;

}  // namespace

std::optional<JobPlace> find_place(const Launch& launch) {
  for (const auto find : {place_by_torchrun, place_by_accelerate, place_by_rank_variables, place_by_tf_config,
                          place_by_open_mpi, place_by_horovod, place_by_slurm, place_by_mpich}) {
    auto place = find(launch);
    if (place && place->count != 1) return place;
    if (place) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<SplitCommand> flags_of(const Launcher& launcher, const Words& command) {
  const std::span<const std::string> words(command);
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto found = find_launcher(words.subspan(at));
    if (!found || found->launcher != &launcher) continue;
    return split_known(words.subspan(at + found->head), *launcher.table);
  }
  return std::nullopt;
}

std::optional<std::string> variable(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  if (found == environment.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::optional<std::uint32_t> number(const Environment& environment, std::string_view name) {
  const auto text = variable(environment, name);
  return text ? base::number_in<std::uint32_t>(*text) : std::nullopt;
}

// FNV-1a: the same everywhere, and spread enough.
std::uint16_t port_from(std::string_view common) {
  std::uint32_t hash = 2166136261u;
  for (const char c : common) hash = (hash ^ static_cast<std::uint8_t>(c)) * 16777619u;
  return static_cast<std::uint16_t>(kFirstPort + (hash ^ hash >> 16) % kPorts);
}

}  // namespace lockstep::launchers
