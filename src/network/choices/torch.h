// What PyTorch chooses: Gloo's address, the addresses of its store's client.
#pragma once

#include "network/choices/choice.h"

namespace lockstep::network {

// The address Gloo listens on and tells its peers.
Choice choose_gloo(const hostinfo::HostFacts& facts, const Environment& environment);

// For each pair exactly one side connects: that with the larger address. True: `own` connects. Equal
// addresses are decided by the ports, which nobody knows before.
std::optional<bool> gloo_connects(const base::Address& own, const base::Address& other);

// The addresses that the client of the store tries for MASTER_ADDR, in order.
Choice choose_store(const hostinfo::HostFacts& facts, const std::string& master);

}  // namespace lockstep::network
