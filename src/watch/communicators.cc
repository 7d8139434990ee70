#include "watch/communicators.h"

#include <fmt/format.h>

namespace lockstep::watch {
namespace {

constexpr std::size_t kMostMembers = 1 << 20;

std::vector<int> members_of(const record::CommunicatorDefinition& definition) {
  std::vector<int> members;
  for (const lockstep_rank_run& run : definition.members) {
    if (members.size() + run.count > kMostMembers) return {};
    for (std::uint32_t i = 0; i < run.count; ++i) {
      members.push_back(
          static_cast<int>(static_cast<std::uint32_t>(run.first) + i * static_cast<std::uint32_t>(run.step)));
    }
  }
  return members;
}

std::string identity_of(const LiveCommunicator& communicator,
                        const record::CommunicatorDefinition* definition) {
  std::string identity = communicator.name;
  if (definition == nullptr) return identity;
  for (const lockstep_rank_run& run : definition->members) {
    identity += fmt::format(" {}:{}:{}", run.first, run.step, run.count);
  }
  return identity;
}

}  // namespace

std::uint32_t Communicators::number_of(const record::Definitions& definitions, std::uint32_t id) {
  const record::CommunicatorDefinition* definition = definitions.communicator(id);
  LiveCommunicator communicator;
  communicator.name = definition == nullptr ? fmt::format("communicator {}", id)
                                            : std::string(definitions.string(definition->name));
  const auto [place, is_new] = by_identity_.try_emplace(identity_of(communicator, definition),
                                                        static_cast<std::uint32_t>(known_.size()));
  if (!is_new) return place->second;
  if (definition != nullptr) {
    communicator.description = definitions.string(definition->description);
    communicator.backend = definitions.string(definition->backend);
    communicator.members = members_of(*definition);
    communicator.size = communicator.members.empty() ? definition->size : communicator.members.size();
  }
  known_.push_back(std::move(communicator));
  return place->second;
}

}  // namespace lockstep::watch
