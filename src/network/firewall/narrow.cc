#include "network/firewall/narrow.h"

#include <algorithm>

namespace lockstep::network {
namespace {

bool is_passed(Hook hook, bool is_leaving) {
  return (hook == Hook::kOutput || hook == Hook::kPostrouting) == is_leaving;
}

bool may_fit(const Match& match, const KnownPart& known) {
  if (match.never || (match.protocols & known.protocol) == 0 || (match.states & known.state) == 0)
    return false;
  if (match.family && *match.family != known.own.family) return false;
  if (!(known.is_leaving ? match.source : match.destination).contains(known.own)) return false;
  if (match.tcp_flags_mask != 0) {
    const bool has_flags =
        known.protocol == kTcp && (known.tcp_flags & match.tcp_flags_mask) == match.tcp_flags_set;
    if (has_flags == match.are_flags_inverted) return false;
  }
  return match.ports.source.intersects(known.ports.source) &&
         match.ports.destination.intersects(known.ports.destination);
}

// Of what may fit: fits whatever the peer and the interface are.
bool fits_all(const Match& match, const KnownPart& known) {
  return (known.is_leaving ? match.destination : match.source).is_any && match.incoming.is_any &&
         match.outgoing.is_any && !match.is_source_local && !match.is_destination_local &&
         match.not_understood.empty() && (known.ports.source - match.ports.source).empty() &&
         (known.ports.destination - match.ports.destination).empty();
}

Program narrowed(const Program& program, const KnownPart& known) {
  Program made{Attachment(program)};
  made.origins = program.origins;
  std::vector<std::uint32_t> places(program.instructions.size());  // where each is, or the next that stays
  std::size_t furthest_target = 0;
  for (std::size_t at = 0; at < program.instructions.size(); ++at) {
    const Instruction& instruction = program.instructions[at];
    places[at] = static_cast<std::uint32_t>(made.instructions.size());
    if (at + 1 < program.instructions.size() && !may_fit(instruction.match, known)) continue;
    made.instructions.push_back(instruction);
    if (instruction.is_jump) furthest_target = std::max<std::size_t>(furthest_target, instruction.target);
    const bool ends_here =
        !instruction.is_jump && furthest_target <= at && fits_all(instruction.match, known);
    if (ends_here) break;
  }
  for (Instruction& instruction : made.instructions)
    if (instruction.is_jump) instruction.target = places[instruction.target];
  return made;
}

}  // namespace

Firewall narrowed(const Firewall& firewall, const KnownPart& known) {
  Firewall made;
  made.is_known = firewall.is_known;
  for (const Program& program : firewall.programs)
    if (is_passed(program.hook, known.is_leaving) && program.applies_to(known.own.family))
      made.programs.push_back(narrowed(program, known));
  return made;
}

}  // namespace lockstep::network
