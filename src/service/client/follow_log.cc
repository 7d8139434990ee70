#include "service/client/follow_log.h"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/json.h"

namespace lockstep::service {
namespace {

constexpr int kTries = 50;
constexpr std::chrono::milliseconds kBetweenTries{200};

// Where a stream of events stands: the id to go on from, and whether it said that it ends.
struct Following {
  std::string last_id = {};
  bool is_over = false;
  bool is_unwanted = false;
};

// A service that is just not there may come back; one that refuses means it.
bool may_come_back(const Result<void>& outcome) {
  if (outcome.ok()) return true;
  const std::string& what = outcome.error().what;
  return what.find("reach") != std::string::npos || what.find("broke off") != std::string::npos;
}

}  // namespace

Result<void> follow_log(const Client& client, const std::string& job_id, const std::string& query,
                        const std::function<bool(int rank, const std::string& text)>& on_line) {
  Following following;
  const std::string target = fmt::format("/v1/jobs/{}/logs?follow=true{}", job_id, query);
  std::string id_of_line;
  for (int tries = 0; tries < kTries; ++tries) {
    std::map<std::string, std::string> headers = {{"Accept", "text/event-stream"}};
    if (!following.last_id.empty()) headers["Last-Event-ID"] = following.last_id;
    const auto take = [&](std::string_view line) {
      tries = 0;
      if (line.starts_with("event: end")) following.is_over = true;
      if (line.starts_with("id: ")) id_of_line = line.substr(4);
      if (!line.starts_with("data: ") || following.is_over) return !following.is_over;
      following.last_id = id_of_line;
      const auto entry = base::parse_json(line.substr(6), "log");
      if (!entry.ok() || !entry.value().contains("text") || !entry.value().contains("rank")) return true;
      following.is_unwanted =
          !on_line(entry.value()["rank"].get<int>(), entry.value()["text"].get<std::string>());
      return !following.is_unwanted;
    };
    const Result<void> outcome = client.stream(target, headers, take);
    if (following.is_over || following.is_unwanted) return {};
    if (!may_come_back(outcome)) return outcome;
    std::this_thread::sleep_for(kBetweenTries);
  }
  return Error{"lost the service", job_id, "it does not answer any more",
               "start it again with 'lockstep serve'"};
}

}  // namespace lockstep::service
