// Where one node of an attempt is and which of its ports are the attempt's: told to the others through a file
// in the attempt's folder, which all nodes see.
#pragma once

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/text_fields.h"
#include "service/engine/attempt_folder.h"

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

// Said to a pod, which no launcher tells.
inline constexpr const char* kNodeNumberVariable = "LOCKSTEP_NODE";
inline constexpr const char* kNodeNameVariable = "LOCKSTEP_NODE_NAME";

// Which node of its attempt this process is on, as the cluster's launcher tells it.
inline std::optional<int> own_node() {
  for (const char* name : {kNodeNumberVariable, "SLURM_NODEID"}) {
    if (const char* number = std::getenv(name)) return base::number_in<int>(std::string_view(number));
  }
  return std::nullopt;
}

// The nodes of an attempt find each other: each leaves its place in the attempt's folder and waits until all
// have.
Result<void> publish_place(const AttemptFolder& folder, int node, const NodePlace& place);

// In the order of the nodes. Empty: not all are there yet.
std::vector<NodePlace> places_told(const AttemptFolder& folder, int nodes);
std::vector<std::string> names_told(const AttemptFolder& folder, int nodes);

// An error names the nodes that did not come.
Result<std::vector<NodePlace>> wait_for_all(const AttemptFolder& folder, int nodes,
                                            std::chrono::milliseconds patience);

}  // namespace lockstep::service
