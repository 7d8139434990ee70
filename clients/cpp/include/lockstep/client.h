// Lockstep's service for C++ programs: hand in a job, follow it, fetch its end. Link with -llockstep_client.
//
//     lockstep::client::Service service = lockstep::client::Service::of_this_user();
//     const auto job = service.submit({.script = "/home/me/train.py", .workers = 4});
//     service.follow(job.id, [](int rank, std::string_view line) { ... });
//     return service.job(job.id).exit_status.value_or(1);
//
// Every call may throw Failure. A Service may be moved and used by one thread at a time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#define LOCKSTEP_CLIENT_API __attribute__((visibility("default")))

namespace lockstep::client {

// The service was not there, or refused; what() says why in words.
class LOCKSTEP_CLIENT_API Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Script or command, and how many ranks; nothing else is needed.
struct JobRequest {
  std::string script = {};  // absolute
  std::vector<std::string> command = {};
  std::vector<std::string> args = {};  // of the script
  int workers = 1;
  std::string directory = {};  // where the ranks run; empty: a folder of the job's own
  std::map<std::string, std::string> environment = {};
  std::map<std::string, std::string> labels = {};
  // Any other field of the API, as a JSON object: {"memory_per_worker": 1073741824}.
  std::string more = {};
};

struct Job {
  std::string id = {};
  std::string state = {};  // QUEUED, RUNNING, SUCCEEDED, FAILED or CANCELLED
  std::string reason = {};
  std::optional<int> exit_status = {};  // of the rank that failed first; 0 when all ended well
  std::optional<int> first_failed_rank = {};
  std::string json = {};  // all that the service says of it

  bool is_over() const { return state != "QUEUED" && state != "RUNNING"; }
};

class LOCKSTEP_CLIENT_API Service {
 public:
  // Starts one when none runs. `program` is the `lockstep` to start it with.
  static Service of_this_user(const std::string& program = "lockstep");
  // "https://host:8443", with a token of `lockstep serve --make-token`; `authorities` is a PEM file, empty
  // for those of the system.
  static Service at(const std::string& url, const std::string& token, const std::string& authorities = "");

  Service(Service&&) noexcept;
  Service& operator=(Service&&) noexcept;
  ~Service();

  Job submit(const JobRequest& request) const;
  Job job(const std::string& id) const;
  Job cancel(const std::string& id) const;
  // What the ranks print, each line once, until the job is over; through restarts of the service. Throws when
  // it stays away.
  void follow(const std::string& id,
              const std::function<void(int rank, std::string_view line)>& on_line) const;
  // Any request of the API; the body of its answer.
  std::string send(const std::string& method, const std::string& target, const std::string& body = "") const;

 private:
  struct Connection;
  explicit Service(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace lockstep::client
