#include "base/process/spawn.h"

#include <cerrno>
#include <poll.h>
#include <sys/wait.h>

#include <gtest/gtest.h>

#include "base/process/environment.h"

namespace lockstep::process {
namespace {

std::string read_all(const Descriptor& from) {
  std::string text;
  char buffer[256];
  for (;;) {
    const ssize_t count = ::read(from.get(), buffer, sizeof buffer);
    if (count == 0) return text;
    if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
    pollfd waited{.fd = from.get(), .events = POLLIN, .revents = 0};
    if (count < 0 && errno == EAGAIN) ::poll(&waited, 1, -1);
  }
}

TEST(Spawn, AProgramThatIsTalkedToReadsWhatIsWritten) {
  auto started = spawn({.argv = {"cat"}, .environment = own_environment(), .is_talked_to = true});
  ASSERT_TRUE(started.ok());
  Spawned& cat = started.value();
  ASSERT_EQ(::write(cat.in.get(), "said\n", 5), 5);
  cat.in.close();
  EXPECT_EQ(read_all(cat.out), "said\n");
  int status = -1;
  EXPECT_EQ(::waitpid(cat.pid, &status, 0), cat.pid);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace lockstep::process
