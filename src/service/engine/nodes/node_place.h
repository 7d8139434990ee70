// Where one node of an attempt is and which of its ports are the attempt's: told to the others through a file
// in the attempt's folder, which all nodes see.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace lockstep::service {

struct NodePlace {
  std::string name;       // as the node calls itself
  std::string address;    // by which the other nodes reach it
  std::string interface;  // that has the address
  std::vector<int> ports;

  bool operator==(const NodePlace&) const = default;
};

// Of the host that this process is on. `towards`: an address of another node, if one is known; empty: the way
// to anywhere is taken. Names are not asked: one that leads to the loopback address is a common fault.
NodePlace own_place(const std::string& towards, std::vector<int> ports);

base::Json encode_place(const NodePlace& place);
NodePlace decode_place(const base::Json& json);

}  // namespace lockstep::service
