#include "base/process/run.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/process/signal_pipe.h"

namespace lockstep::process {
namespace {

using std::chrono::milliseconds;

struct Heard {
  std::string out;
  std::string err;
};

// Not one that runs, nor one that waits to be reaped. An orphan below this process is its child only while
// run() adopts.
bool has_no_child() {
  return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

Command in_shell(const std::string& script) {
  return {{"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}};
}

RunOptions listening(Heard& heard) {
  RunOptions options;
  options.on_output = [&heard](Stream stream, std::string_view bytes) {
    (stream == Stream::kOut ? heard.out : heard.err) += bytes;
  };
  return options;
}

TEST(Run, HandsOnBothStreamsAndTheStatus) {
  Heard heard;
  const auto end = run(in_shell("echo one; echo two >&2; exit 3"), listening(heard));
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().status(), 3);
  EXPECT_EQ(heard.out, "one\n");
  EXPECT_EQ(heard.err, "two\n");
  EXPECT_FALSE(end.value().left_processes);
}

TEST(Run, ALotOfOutputArrivesWhole) {
  Heard heard;
  const auto end = run(in_shell("head -c 3000000 /dev/zero"), listening(heard));
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(heard.out.size(), 3'000'000U);
}

TEST(Run, TheEnvironmentIsTheOneGiven) {
  Heard heard;
  Command command = in_shell("echo $WORLD_SIZE-$HOME");
  command.environment.emplace_back("WORLD_SIZE=1");
  ASSERT_TRUE(run(command, listening(heard)).ok());
  EXPECT_EQ(heard.out, "1-\n");
}

TEST(Run, ASignalIsToldAsAShellDoes) {
  Heard heard;
  const auto end = run(in_shell("kill -9 $$"), listening(heard));
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().ended_by_signal, SIGKILL);
  EXPECT_EQ(end.value().status(), 137);
}

TEST(Run, AProgramThatIsNotThereIsAnError) {
  const auto end = run({{"no-such-program-anywhere"}, {}}, {});
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().where, "no-such-program-anywhere");
}

TEST(Run, AfterTheTimeoutTheJobIsAsked) {
  Heard heard;
  RunOptions options = listening(heard);
  int asked = 0;
  options.on_asking_to_end = [&] { ++asked; };
  options.timeout = milliseconds(100);
  const auto end = run(in_shell("trap 'echo asked; exit 7' TERM; sleep 1000 & wait"), options);
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end.value().timed_out);
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(has_no_child());
}

TEST(Run, AJobThatDoesNotListenIsKilled) {
  RunOptions options;
  options.grace = milliseconds(50);
  options.on_output = [](Stream, std::string_view) { ::kill(::getpid(), SIGTERM); };
  const auto end = run(in_shell("trap '' TERM; echo ready; while :; do sleep 1000; done"), options);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().ended_by_signal, SIGKILL);
  EXPECT_TRUE(has_no_child());
}

TEST(Run, NothingOutlivesIt) {
  Heard heard;
  RunOptions options = listening(heard);
  options.linger = milliseconds(50);
  options.grace = milliseconds(50);
  // In a session of its own and without a parent, as a daemon would be; one of them does not listen.
  const auto end =
      run(in_shell("(setsid sleep 1000 &) ; (trap '' TERM; setsid sleep 1000 &) ; echo gone"), options);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().status(), 0);
  EXPECT_TRUE(end.value().left_processes);
  EXPECT_EQ(heard.out, "gone\n");
  EXPECT_TRUE(has_no_child());
}

TEST(Run, ASignalIsPassedOn) {
  Heard heard;
  RunOptions options = listening(heard);
  const auto remember = options.on_output;
  options.on_output = [&](Stream stream, std::string_view bytes) {
    remember(stream, bytes);
    if (heard.out == "ready\n") ::kill(::getpid(), SIGINT);
  };
  const auto end =
      run(in_shell("trap 'echo asked; exit 5' INT; echo ready; while :; do sleep 0.01; done"), options);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().interrupted_by, SIGINT);
  EXPECT_EQ(end.value().status(), 5);
  EXPECT_EQ(heard.out, "ready\nasked\n");
}

TEST(Run, ASecondSignalEndsTheWaiting) {
  Heard heard;
  RunOptions options = listening(heard);
  const auto remember = options.on_output;
  options.on_output = [&](Stream stream, std::string_view bytes) {
    remember(stream, bytes);
    ::kill(::getpid(), SIGTERM);
  };
  const auto end = run(in_shell("trap 'echo no' TERM; echo ready; while :; do sleep 0.01; done"), options);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().status(), 137);
  EXPECT_TRUE(has_no_child());
}

TEST(Run, AnySignalIsPassedOnAndEndsNothing) {
  Heard heard;
  RunOptions options = listening(heard);
  const auto remember = options.on_output;
  options.on_output = [&](Stream stream, std::string_view bytes) {
    remember(stream, bytes);
    if (heard.out == "ready\n") ::kill(::getpid(), SIGUSR1);
  };
  const auto end =
      run(in_shell("trap 'echo saved; exit 4' USR1; echo ready; while :; do sleep 0.01; done"), options);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().interrupted_by, std::nullopt);
  EXPECT_EQ(end.value().status(), 4);
  EXPECT_EQ(heard.out, "ready\nsaved\n");
}

TEST(Run, SignalsOfOthersThanTheOneItObeysAreDropped) {
  Heard heard;
  RunOptions options = listening(heard);
  const auto remember = options.on_output;
  options.obeys = ::getppid();
  options.on_output = [&](Stream stream, std::string_view bytes) {
    remember(stream, bytes);
    if (heard.out == "ready\n") ::kill(::getpid(), SIGTERM);
  };
  const auto end = run(in_shell("trap 'exit 4' TERM; echo ready; sleep 0.3; exit 3"), options);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().interrupted_by, std::nullopt);
  EXPECT_EQ(end.value().status(), 3);
}

TEST(Run, AnOrderComesThroughThoughTheSameSignalIsPending) {
  Heard heard;
  RunOptions options = listening(heard);
  const auto remember = options.on_output;
  const auto orders = SignalPipe::make();
  ASSERT_TRUE(orders.ok());
  options.obeys = ::getppid();
  options.orders = &orders.value();
  options.on_output = [&](Stream stream, std::string_view bytes) {
    remember(stream, bytes);
    if (heard.out != "ready\n") return;
    ::kill(::getpid(), SIGTERM);
    orders.value().send(SIGTERM, 0);
  };
  const auto end = run(in_shell("trap 'exit 4' TERM; echo ready; while :; do sleep 0.01; done"), options);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().interrupted_by, SIGTERM);
  EXPECT_EQ(end.value().status(), 4);
}

TEST(Run, AJobWhoseReaderIsGoneIsTold) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  const Descriptor to(ends[1]);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  RunOptions options;
  options.hand_out_to = to.get();
  const auto end = run(in_shell("while :; do echo line; done"), options);
  std::signal(SIGPIPE, before);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().ended_by_signal, SIGPIPE);
}

struct FullPipe {
  FullPipe() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read_end = Descriptor(ends[0]);
    write_end = Descriptor(ends[1]);
  }
  // Once it is full: all that comes until nobody can write any more.
  std::string read_all() const {
    pollfd room{.fd = write_end.get(), .events = POLLOUT, .revents = 0};
    while (::poll(&room, 1, 0) == 1) ::usleep(1000);
    std::string text;
    char chunk[4096];
    for (ssize_t count = 0; (count = ::read(read_end.get(), chunk, sizeof chunk)) > 0;)
      text.append(chunk, static_cast<std::size_t>(count));
    return text;
  }
  Descriptor read_end;
  Descriptor write_end;
};

TEST(Run, WhoReadsSlowlyGetsAllOfIt) {
  FullPipe pipe;
  std::string read;
  std::thread reader;
  RunOptions options;
  options.hand_out_to = pipe.write_end.get();
  // By then signals are held back, also from the thread.
  options.on_start = [&] { reader = std::thread([&] { read = pipe.read_all(); }); };
  const auto end = run(in_shell("i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); echo $i; done"), options);
  pipe.write_end.close();
  reader.join();
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().status(), 0);
  std::string expected;
  for (int i = 1; i <= 60000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(read, expected);
}

TEST(Run, WhoDoesNotReadHoldsUpNoSignal) {
  const FullPipe pipe;
  RunOptions options;
  options.grace = milliseconds(50);
  options.hand_out_to = pipe.write_end.get();
  options.hand_err_to = -1;
  const auto orders = SignalPipe::make();
  ASSERT_TRUE(orders.ok());
  options.obeys = ::getppid();
  options.orders = &orders.value();
  options.on_output = [&](Stream stream, std::string_view) {
    if (stream == Stream::kErr) orders.value().send(SIGTERM, 0);
  };
  // The job says so by the other stream once its first one is full.
  const auto end = run(in_shell("trap 'exit 4' TERM; (yes >&1) & sleep 0.3; echo full >&2; wait"), options);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().interrupted_by, SIGTERM);
  EXPECT_EQ(end.value().status(), 4);
  EXPECT_TRUE(has_no_child());
}

TEST(Run, GivesTheStatusThoughSigchldIsIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const auto end = run(in_shell("exit 5"), {});
  std::signal(SIGCHLD, before);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().status(), 5);
}

}  // namespace
}  // namespace lockstep::process
