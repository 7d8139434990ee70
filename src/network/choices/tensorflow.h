// What TensorFlow makes of TF_CONFIG on a host: where its task listens and where it looks for the others.
#pragma once

#include "network/choices/choice.h"

namespace lockstep::network {

struct TensorflowTask {
  std::string job = {};
  int index = 0;
  std::string endpoint = {};  // "node1:2222"
  std::uint16_t port = 0;
  std::vector<base::Address> addresses = {};  // as this host resolves it, in the order they are tried
  bool is_own = false;                        // it listens on all addresses, whatever the name says
  bool goes_through_proxy = false;
};

struct TensorflowChoice {
  std::vector<TensorflowTask> tasks = {};
  std::string failure = {};
  std::vector<Reason> trail = {};
};

TensorflowChoice choose_tensorflow(const hostinfo::HostFacts& facts, const Environment& environment);

}  // namespace lockstep::network
