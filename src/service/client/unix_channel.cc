#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/file.h"
#include "base/process/descriptor.h"
#include "service/client/channel.h"

namespace lockstep::service {
namespace {

class UnixChannel : public Channel {
 public:
  explicit UnixChannel(process::Descriptor socket) : socket_(std::move(socket)) {}

  bool write_all(std::string_view bytes) override { return base::write_all(socket_.get(), bytes); }
  long read_some(char* bytes, std::size_t size) override {
    for (;;) {
      const ssize_t count = ::recv(socket_.get(), bytes, size, 0);
      if (count >= 0 || errno != EINTR) return count;
    }
  }

 private:
  process::Descriptor socket_;
};

}  // namespace

Result<std::unique_ptr<Channel>> connect_unix(const std::filesystem::path& path) {
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
    return std::unique_ptr<Channel>(std::make_unique<UnixChannel>(std::move(socket)));
  }
  return base::error_from_errno("cannot reach the service", path, "start one with 'lockstep serve'");
}

}  // namespace lockstep::service
