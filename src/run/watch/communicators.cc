#include "run/watch/communicators.h"

#include <fmt/format.h>

namespace lockstep::watch {
namespace {

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
    communicator.members = definition->member_ranks();
    communicator.size = communicator.members.empty() ? definition->size : communicator.members.size();
  }
  known_.push_back(std::move(communicator));
  return place->second;
}

}  // namespace lockstep::watch
