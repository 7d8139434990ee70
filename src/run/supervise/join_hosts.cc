#include "run/supervise/join_hosts.h"

#include <climits>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "run/multihost/head.h"
#include "run/multihost/host_copy.h"
#include "run/multihost/satellite.h"

namespace lockstep::supervise {
namespace {

std::string own_name() {
  char name[HOST_NAME_MAX + 1] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

Result<std::unique_ptr<multihost::Link>> as_head(const HostsRequest& request,
                                                 const std::filesystem::path& recording) {
  std::string token = TRY(multihost::find_or_make_token(request.token));
  auto head = TRY(multihost::Head::start({.recording = recording,
                                          .host = own_name(),
                                          .port = request.place.head->port,
                                          .token = std::move(token)}));
  return std::unique_ptr<multihost::Link>(std::move(head));
}

std::unique_ptr<multihost::Link> as_satellite(const HostsRequest& request,
                                              const std::filesystem::path& recording) {
  return std::make_unique<multihost::Satellite>(
      multihost::SatelliteOptions{.recording = recording,
                                  .host = own_name(),
                                  .version = request.version,
                                  .index = request.place.index.value_or(0),
                                  .head = *request.place.head,
                                  .token = [token = request.token] { return multihost::find_token(token); }});
}

}  // namespace

std::optional<Result<HostsRequest>> find_hosts(const multihost::Launch& launch,
                                               const std::optional<multihost::HostPort>& head,
                                               const multihost::TokenSource& token, std::string version) {
  auto place = multihost::find_place(launch);
  if (!place && !head) return std::nullopt;
  if (!place) place = multihost::JobPlace{.index = {}, .count = 0, .head = {}, .launcher = "--head"};
  if (head) place->head = head;
  if (!place->head) {
    return Error{fmt::format("{} does not tell where the first of the job's {} is", place->launcher,
                             place->count == 0 ? "hosts" : "ranks"),
                 "", "each watcher sees its own alone", "say it to all of them with --head HOST:PORT"};
  }
  return HostsRequest{.place = *std::move(place), .token = token, .version = std::move(version)};
}

bool is_satellite(const multihost::JobPlace& place) {
  return place.index ? *place.index != 0 : !multihost::is_this_host(place.head->host);
}

std::string recording_suffix(const multihost::JobPlace& place) {
  if (!is_satellite(place)) return "";
  return place.index ? fmt::format("-{}", *place.index) : "-" + multihost::in_a_file_name(own_name());
}

// Where nothing tells who the head is, several watchers may be on its host: the first becomes it.
Result<std::unique_ptr<multihost::Link>> join_hosts(const HostsRequest& request,
                                                    const std::filesystem::path& recording) {
  if (is_satellite(request.place)) return as_satellite(request, recording);
  auto head = as_head(request, recording);
  if (!head.ok() && !request.place.index) return as_satellite(request, recording);
  return head;
}

}  // namespace lockstep::supervise
