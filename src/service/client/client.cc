#include "service/client/client.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text_fields.h"
#include "process/descriptor.h"
#include "service/client/start_service.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kTimeToStart{20};

Result<process::Descriptor> connected(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.string().size() >= sizeof address.sun_path) {
    return Error{"cannot reach the service", path.string(), "the path of its socket is too long",
                 "set LOCKSTEP_STATE to a shorter folder"};
  }
  std::strcpy(address.sun_path, path.c_str());
  process::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.is_open() &&
      ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    return socket;
  }
  return base::error_from_errno("cannot reach the service", path, "start one with 'lockstep serve'");
}

// Bytes of an answer, taken as they come.
class Incoming {
 public:
  explicit Incoming(int fd) : fd_(fd) {}

  bool more() {
    char chunk[16384];
    for (;;) {
      const ssize_t count = ::recv(fd_, chunk, sizeof chunk, 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      bytes_.append(chunk, static_cast<std::size_t>(count));
      return true;
    }
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
  int fd_;
  std::string bytes_;
};

Result<Answer> read_head(Incoming& incoming) {
  const Error cut{"the service broke off", "", "its answer is not whole", "see service.log in its folder"};
  auto line = incoming.line();
  if (!line || !line->starts_with("HTTP/1.")) return cut;
  Answer answer;
  answer.status = base::number_in<int>(base::word_of(std::string_view(*line).substr(9))).value_or(0);
  while ((line = incoming.line()) && base::trimmed(*line) != "") {
    const std::string_view name = base::word_of(*line, ':');
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    answer.headers[lower] = std::string(base::trimmed(line->substr(std::min(name.size() + 1, line->size()))));
  }
  if (!line) return cut;
  return answer;
}

std::string head_of(std::string_view method, std::string_view target, std::size_t length,
                    const std::map<std::string, std::string>& headers) {
  std::string head =
      fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n", method, target);
  if (length > 0) head += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", length);
  for (const auto& [name, value] : headers) head += fmt::format("{}: {}\r\n", name, value);
  return head + "\r\n";
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

Result<Client> Client::connect(const fs::path& state_folder, const std::string& program) {
  using Clock = std::chrono::steady_clock;
  const fs::path socket = socket_in(state_folder);
  if (connected(socket).ok()) return Client(socket);
  TRY(start_service(state_folder, program));
  for (const auto end = Clock::now() + kTimeToStart; Clock::now() < end;) {
    const auto attempt = connected(socket);
    if (attempt.ok()) return Client(socket);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return Error{"the service did not start", state_folder.string(), "nobody answers at its socket",
               fmt::format("see {}", (state_folder / "service.log").string())};
}

Result<Answer> Client::send(std::string_view method, std::string_view target, std::string_view body,
                            const std::map<std::string, std::string>& headers) const {
  const process::Descriptor socket = TRY(connected(socket_));
  if (!base::write_all(socket.get(), head_of(method, target, body.size(), headers) + std::string(body))) {
    return base::error_from_errno("cannot ask the service", socket_);
  }
  Incoming incoming(socket.get());
  Answer answer = TRY(read_head(incoming));
  const auto length = answer.headers.find("content-length");
  if (length != answer.headers.end()) {
    answer.body = incoming.take(base::number_in<std::size_t>(length->second).value_or(0));
  }
  return answer;
}

Result<void> Client::stream(std::string_view target, const std::map<std::string, std::string>& headers,
                            const std::function<bool(std::string_view)>& on_line) const {
  const process::Descriptor socket = TRY(connected(socket_));
  if (!base::write_all(socket.get(), head_of("GET", target, 0, headers))) {
    return base::error_from_errno("cannot ask the service", socket_);
  }
  Incoming incoming(socket.get());
  Answer answer = TRY(read_head(incoming));
  if (answer.status != 200) {
    const auto length = answer.headers.find("content-length");
    answer.body = incoming.take(
        length == answer.headers.end() ? 0 : base::number_in<std::size_t>(length->second).value_or(0));
    return error_from(answer);
  }
  while (const auto line = incoming.line()) {
    if (!on_line(*line)) break;
  }
  return {};
}

Error error_from(const Answer& answer) {
  Error error{fmt::format("the service answered {}", answer.status), "", "", ""};
  const auto json = base::parse_json(answer.body, "answer");
  if (!json.ok() || !json.value().is_object()) return error;
  const auto text = [&](const char* name) {
    const auto found = json.value().find(name);
    return found != json.value().end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (const std::string title = text("title"); !title.empty()) error.what = title;
  error.why = text("detail");
  error.hint = text("hint");
  return error;
}

}  // namespace lockstep::service
