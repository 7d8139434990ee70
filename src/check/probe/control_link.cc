#include "check/probe/control_link.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <utility>

#include "base/check.h"

namespace lockstep::probe {
namespace {

constexpr multihost::Protocol kProtocol{
    .magic = "\x89LKCTRL\n", .version = 1, .max_message_bytes = kMaxMessageBytes};
constexpr std::size_t kMaxPassedOver = std::size_t{64} << 10;
constexpr std::size_t kMaxLinkReadBytes = std::size_t{1} << 20;  // at a time, so that others get their turn

// It ends with a newline, since some launchers hand on what a program prints line by line.
multihost::Nonce line_of_random_bytes() {
  auto nonce = multihost::random_nonce();
  CHECK(nonce.has_value(), "the kernel gives no random bytes");
  nonce->back() = '\n';
  return *nonce;
}

std::string_view words_for(multihost::Trouble trouble) {
  switch (trouble) {
    case multihost::Trouble::kOtherVersion:
      return "it is another version of lockstep";
    case multihost::Trouble::kOtherToken:
      return "it has another token";
    case multihost::Trouble::kNotLockstep:
      return "something else than lockstep answers";
    default:
      return "it sent what makes no sense";
  }
}

}  // namespace

ControlLink::ControlLink(multihost::Side side, std::string token, process::Descriptor in,
                         process::Descriptor out)
    : in_(std::move(in)),
      out_(std::move(out)),
      stream_(kProtocol, side, std::move(token), line_of_random_bytes()) {
  for (const int fd : {in_.get(), out_.get()}) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void ControlLink::send(const Message& message) {
  waiting_.push_back(encode(message));
}

std::optional<Message> ControlLink::next() {
  const auto body = stream_.next();
  if (!body) return std::nullopt;
  auto message = decode(*body);
  if (!message && over_.empty()) over_ = words_for(multihost::Trouble::kBroken);
  return message;
}

void ControlLink::exchange() {
  if (is_over()) return;
  read_what_is_there();
  while (stream_.can_send() && !waiting_.empty()) {
    stream_.send(waiting_.front());
    waiting_.pop_front();
  }
  write_what_is_there();
  if (stream_.trouble() != multihost::Trouble::kNone) over_ = words_for(stream_.trouble());
}

void ControlLink::take(std::string_view bytes) {
  if (!skips_) return stream_.take(bytes);
  passed_over_ += bytes;
  const std::size_t begin = passed_over_.find(kProtocol.magic);
  if (begin != std::string::npos) {
    skips_ = false;
    return stream_.take(std::string_view(passed_over_).substr(begin));
  }
  passed_over_bytes_ += bytes.size();
  if (passed_over_bytes_ > kMaxPassedOver) over_ = words_for(multihost::Trouble::kNotLockstep);
  if (passed_over_.size() > kProtocol.magic.size())
    passed_over_.erase(0, passed_over_.size() - kProtocol.magic.size());
}

void ControlLink::read_what_is_there() {
  char buffer[std::size_t{64} << 10];
  for (std::size_t read = 0; read < kMaxLinkReadBytes && over_.empty();) {
    const ssize_t count = ::read(in_.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) over_ = std::strerror(errno);
    if (count == 0) over_ = "it ended";
    if (count <= 0) return;
    take({buffer, static_cast<std::size_t>(count)});
    read += static_cast<std::size_t>(count);
  }
}

void ControlLink::write_what_is_there() {
  while (!stream_.unsent().empty()) {
    const std::string_view bytes = stream_.unsent();
    const ssize_t count = ::write(out_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0 && over_.empty()) over_ = std::strerror(errno);
    if (count < 0) return;
    stream_.wrote(static_cast<std::size_t>(count));
  }
}

void ControlLink::add_to(std::vector<pollfd>& polled) const {
  polled.push_back({.fd = in_.get(), .events = POLLIN, .revents = 0});
  const bool writes = !stream_.unsent().empty() || (stream_.can_send() && !waiting_.empty());
  if (writes) polled.push_back({.fd = out_.get(), .events = POLLOUT, .revents = 0});
}

}  // namespace lockstep::probe
