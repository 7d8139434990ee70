#include "network/firewall/sweep.h"

#include <map>

#include <fmt/format.h>

namespace lockstep::network {
namespace {

// Ports that a rule which is not understood would decide, if it matches.
struct Doubt {
  PortPairs ports;
  bool lets_pass = false;
  bool is_jump = false;
  const RuleOrigin* origin = nullptr;
  std::string what;
};

bool lets_pass(Decision decision) {
  return decision == Decision::kAccept;
}

class Sweep {
 public:
  Sweep(const Program& program, const Packet& packet) : program_(program), packet_(packet) {}

  std::vector<Decided> run(PortPairs ports) {
    left_ = std::move(ports);
    for (std::size_t at = 0; at < program_.instructions.size(); ++at) {
      if (const auto waiting = waiting_.find(at); waiting != waiting_.end()) {
        left_.add(waiting->second);
        waiting_.erase(waiting);
      }
      if (!left_.empty()) {
        step(program_.instructions[at]);
      } else if (waiting_.empty()) {
        break;
      }
    }
    for (const Doubt& doubt : doubts_) apply(doubt);
    return std::move(decided_);
  }

 private:
  void step(const Instruction& instruction) {
    const Match& match = instruction.match;
    if (!match.fits(packet_)) return;
    const RuleOrigin* const origin = &(*program_.origins)[instruction.origin];
    PortPairs touched = left_ & match.ports;
    if (touched.empty()) return;
    if (!match.not_understood.empty()) {
      doubts_.push_back({std::move(touched), lets_pass(instruction.decision), instruction.is_jump, origin,
                         match.not_understood});
      return;
    }
    left_ = left_ - match.ports;
    if (instruction.is_jump) {
      waiting_[instruction.target].add(touched);
    } else {
      decided_.push_back({instruction.decision, std::move(touched), origin,
                          instruction.decision == Decision::kUnknown ? origin->text : std::string()});
    }
  }

  // Where the later decision is another than the doubtful rule's, the result is not known.
  void apply(const Doubt& doubt) {
    std::vector<Decided> parts;
    for (Decided& part : decided_) {
      const bool agrees = !doubt.is_jump && part.decision != Decision::kUnknown &&
                          lets_pass(part.decision) == doubt.lets_pass;
      PortPairs doubtful =
          agrees || part.decision == Decision::kUnknown ? PortPairs() : part.ports & doubt.ports;
      if (!doubtful.empty()) {
        part.ports = part.ports - doubt.ports;
        parts.push_back({Decision::kUnknown, std::move(doubtful), doubt.origin, doubt.what});
      }
      if (!part.ports.empty()) parts.push_back(std::move(part));
    }
    decided_ = std::move(parts);
  }

  const Program& program_;
  const Packet& packet_;
  PortPairs left_;
  std::map<std::size_t, PortPairs> waiting_;  // by the instruction they go on at
  std::vector<Doubt> doubts_;
  std::vector<Decided> decided_;
};

}  // namespace

std::vector<Decided> sweep(const Program& program, const Packet& packet, const PortPairs& ports) {
  return Sweep(program, packet).run(ports);
}

std::vector<Decided> sweep(const Firewall& firewall, Hook hook, const Packet& packet,
                           const PortPairs& ports) {
  std::vector<Decided> results;
  PortPairs passing = ports;
  for (const Program& program : firewall.programs) {
    if (program.hook != hook || !program.applies_to(packet.source.family)) continue;
    PortPairs accepted;
    for (Decided& part : sweep(program, packet, passing)) {
      if (part.decision == Decision::kAccept) {
        accepted.add(part.ports);
      } else {
        results.push_back(std::move(part));
      }
    }
    passing = std::move(accepted);
    if (passing.empty()) return results;
  }
  results.push_back({Decision::kAccept, std::move(passing), nullptr, ""});
  return results;
}

}  // namespace lockstep::network
