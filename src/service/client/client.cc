#include "service/client/client.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <pwd.h>
#include <thread>

#include <fmt/format.h>

#include "base/json.h"
#include "base/process/environment.h"
#include "base/text_fields.h"
#include "service/engine/start_apart.h"

namespace lockstep::service {

namespace {

namespace fs = std::filesystem;

constexpr int kAnswered = 200;
constexpr int kStoreIsAway = 503;  // the service is there, and will be whole again
// For a service that this client starts: on a busy machine with a store of many jobs.
constexpr std::chrono::seconds kTimeForServiceToStart{20};
constexpr std::size_t kDownloadPieceBytes = 256 << 10;

// Bytes of an answer, taken as they come.
class Incoming {
 public:
  explicit Incoming(Channel& channel) : channel_(channel) {}

  bool more() {
    char chunk[16384];
    const long count = channel_.read_some(chunk, sizeof chunk);
    if (count <= 0) return false;
    bytes_.append(chunk, static_cast<std::size_t>(count));
    return true;
  }
  std::optional<std::string> line() {
    for (;;) {
      const std::size_t end = bytes_.find('\n');
      if (end != std::string::npos) {
        std::string line = bytes_.substr(0, end);
        bytes_.erase(0, end + 1);
        return line;
      }
      if (!more()) return std::nullopt;
    }
  }
  std::string take(std::size_t count) {
    while (bytes_.size() < count && more()) {
    }
    std::string taken = bytes_.substr(0, count);
    bytes_.erase(0, count);
    return taken;
  }

 private:
  Channel& channel_;
  std::string bytes_;
};

Error cut_answer() {
  return {"the service broke off", "", "its answer is not whole", "see service.log in its folder"};
}

Result<Answer> read_head(Incoming& incoming) {
  auto line = incoming.line();
  if (!line || !line->starts_with("HTTP/1.")) return cut_answer();
  Answer answer;
  answer.status = base::number_in<int>(base::word_of(std::string_view(*line).substr(9))).value_or(0);
  while ((line = incoming.line()) && base::trimmed(*line) != "") {
    const std::string_view name = base::word_of(*line, ':');
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    answer.headers[lower] = std::string(base::trimmed(line->substr(std::min(name.size() + 1, line->size()))));
  }
  if (!line) return cut_answer();
  return answer;
}

std::string head_of(std::string_view method, std::string_view target, std::size_t length,
                    const std::map<std::string, std::string>& headers, const Access& access) {
  const std::string host = access.remote ? access.remote->host : "localhost";
  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", method, target, host);
  if (!access.token.empty()) head += fmt::format("Authorization: Bearer {}\r\n", access.token);
  if (length > 0) head += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", length);
  for (const auto& [name, value] : headers) head += fmt::format("{}: {}\r\n", name, value);
  return head + "\r\n";
}

std::size_t length_of(const Answer& answer) {
  const auto length = answer.headers.find("content-length");
  if (length == answer.headers.end()) return 0;
  return base::number_in<std::size_t>(length->second).value_or(0);
}

// A refusal may come before all of the request was taken.
Result<Answer> ask(Channel& channel, Incoming& incoming, std::string_view request) {
  const bool is_taken = channel.write_all(request);
  auto answer = read_head(incoming);
  if (answer.ok() || is_taken) return answer;
  return Error{"the service broke off", "", "it did not take the whole request", ""};
}

}  // namespace

fs::path default_state_folder() {
  if (const char* folder = std::getenv("LOCKSTEP_STATE"); folder != nullptr && *folder != '\0') {
    return fs::absolute(folder);
  }
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return fs::path(state) / "lockstep";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') {
    const passwd* who = ::getpwuid(::geteuid());
    home = who == nullptr ? "/tmp" : who->pw_dir;
  }
  return fs::path(home) / ".local/state/lockstep";
}

fs::path socket_in(const fs::path& state_folder) {
  return state_folder / "service.sock";
}

Connection Client::connection() const {
  return access_.remote ? open_tls(*access_.remote) : open_unix(access_.socket);
}

Result<std::unique_ptr<Channel>> Client::channel() const {
  Connection made = connection();
  if (made.channel == nullptr) return std::move(made.error);
  return std::move(made.channel);
}

Result<Client> Client::connect(const fs::path& state_folder, const std::string& program) {
  using Clock = std::chrono::steady_clock;
  const fs::path socket = socket_in(state_folder);
  if (connect_unix(socket).ok()) return Client({.socket = socket});
  TRY(start_service(state_folder, program));
  for (const auto end = Clock::now() + kTimeForServiceToStart; Clock::now() < end;) {
    if (connect_unix(socket).ok()) return Client({.socket = socket});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return Error{"the service did not start", state_folder.string(), "nobody answers at its socket",
               fmt::format("see {}", (state_folder / "service.log").string())};
}

Result<Client> Client::connect_running(const fs::path& state_folder) {
  const fs::path socket = socket_in(state_folder);
  if (connect_unix(socket).ok()) return Client({.socket = socket});
  return Error{"no service is running", state_folder.string(), "", "start one with 'lockstep serve'"};
}

Result<Client> Client::connect_remote(const RemotePlace& place, const std::string& token) {
  const bool is_sound = !token.empty() && token.find_first_of(" \t\r\n") == std::string::npos;
  if (!is_sound) return Error{"cannot reach the service", place.host, "the token is no single word", ""};
  return Client({.remote = place, .token = token});
}

Result<Answer> Client::send(std::string_view method, std::string_view target, std::string_view body,
                            const std::map<std::string, std::string>& headers) const {
  const auto connection = TRY(channel());
  Incoming incoming(*connection);
  Answer answer = TRY(
      ask(*connection, incoming, head_of(method, target, body.size(), headers, access_) + std::string(body)));
  answer.body = incoming.take(length_of(answer));
  return answer;
}

Result<void> Client::download(std::string_view target,
                              const std::function<Result<void>(std::string_view)>& on_bytes) const {
  const auto connection = TRY(channel());
  Incoming incoming(*connection);
  Answer answer = TRY(ask(*connection, incoming, head_of("GET", target, 0, {}, access_)));
  std::size_t left = length_of(answer);
  if (answer.status != kAnswered) {
    answer.body = incoming.take(left);
    return error_from(answer);
  }
  while (left > 0) {
    const std::string piece = incoming.take(std::min(left, kDownloadPieceBytes));
    if (piece.empty()) return cut_answer();
    TRY(on_bytes(piece));
    left -= piece.size();
  }
  return {};
}

Streamed Client::stream(std::string_view target, const std::map<std::string, std::string>& headers,
                        const std::function<bool(std::string_view)>& on_line) const {
  Connection made = connection();
  if (made.channel == nullptr) return {made.trouble, std::move(made.error)};
  Incoming incoming(*made.channel);
  auto answer = ask(*made.channel, incoming, head_of("GET", target, 0, headers, access_));
  if (!answer.ok()) return {Trouble::kAway, std::move(answer).error()};
  if (answer.value().status != kAnswered) {
    answer.value().body = incoming.take(length_of(answer.value()));
    return {answer.value().status == kStoreIsAway ? Trouble::kAway : Trouble::kRefused,
            error_from(answer.value())};
  }
  while (const auto line = incoming.line()) {
    if (!on_line(*line)) break;
  }
  return {};
}

Error error_from(const Answer& answer) {
  Error error{fmt::format("the service answered {}", answer.status), "", "", ""};
  const auto json = base::parse_json(answer.body, "answer");
  if (!json.ok()) return error;
  if (const std::string title = base::text_at(json.value(), "title"); !title.empty()) error.what = title;
  error.why = base::text_at(json.value(), "detail");
  error.hint = base::text_at(json.value(), "hint");
  return error;
}

namespace {

// Where a stream of events stands: the id to go on from, and whether it said that it ends.
struct LogPosition {
  std::string last_id = {};
  bool is_over = false;
  bool is_unwanted = false;
};

}  // namespace

Result<void> follow_log(const Client& client, const std::string& job_id, const std::string& query,
                        const std::function<bool(int rank, const std::string& text)>& on_line,
                        const FollowPatience& patience) {
  LogPosition following;
  const std::string target = fmt::format("/v1/jobs/{}/logs?follow=true{}", job_id, query);
  std::string id_of_line;
  for (int tries = 0; tries < patience.tries; ++tries) {
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
    Streamed streamed = client.stream(target, headers, take);
    if (following.is_over || following.is_unwanted) return {};
    if (streamed.trouble == Trouble::kRefused) return std::move(streamed.error);
    std::this_thread::sleep_for(patience.between);
  }
  return Error{"lost the service", job_id, "it does not answer any more",
               "start it again with 'lockstep serve'"};
}

namespace fs = std::filesystem;

Result<std::string> own_program() {
  std::error_code fault;
  const fs::path program = fs::read_symlink("/proc/self/exe", fault);
  if (fault) return Error{"this program does not know where it is", "", fault.message(), ""};
  return program.string();
}

Result<void> start_service(const fs::path& state_folder, const std::string& program) {
  std::error_code fault;
  fs::create_directories(state_folder, fault);
  if (!fault) fs::permissions(state_folder, fs::perms::owner_all, fault);
  if (fault)
    return Error{"cannot make the folder of the service", state_folder.string(), fault.message(), ""};
  TRY(start_apart({program, "serve", "--state", state_folder.string(), "--rest-after", "60"},
                  process::own_environment(), state_folder / "service.log"));
  return {};
}

}  // namespace lockstep::service
