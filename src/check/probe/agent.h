// The agent of one host: listens and connects as it is told, and ends with the one who tells it.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/process/descriptor.h"
#include "base/result.h"
#include "check/probe/control_link.h"

namespace lockstep::probe {

struct AgentOptions {
  std::string token;
  std::string version;
  process::Descriptor in;  // from the one who probes, and back to it
  process::Descriptor out;
  std::function<std::string(const AskFacts&)> collect_facts;  // as JSON
  std::chrono::seconds longest{1800};                         // then it ends, whatever happens
};

// Until it is told to end, the other side goes, a signal comes or its time is over: in all cases everything
// that it opened is closed. An error when it was not believed, or did not believe the other side.
Result<void> serve_as_agent(AgentOptions options);

// A connection to the one who probes, for an agent that was started by hand. Waits for it.
Result<process::Descriptor> connect_to(const std::string& host_and_port);

// The token of an agent that is started by a launcher: the first line that comes. Nothing is read behind it.
Result<std::string> read_token(int fd);

}  // namespace lockstep::probe
