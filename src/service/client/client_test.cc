#include "service/client/client.h"

#include <atomic>
#include <filesystem>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace lockstep::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A service that gives each connection the next of its answers, and what it was asked.
class ScriptedService {
 public:
  ScriptedService(const std::filesystem::path& socket, std::vector<std::string> answers)
      : listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), answers_(std::move(answers)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket.string().copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedService() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  const std::vector<std::string>& requests() const { return requests_; }  // once all answers were given

 private:
  void serve() {
    for (const std::string& answer : answers_) {
      const int connection = ::accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      char request[4096];
      const ssize_t count = ::recv(connection, request, sizeof request, 0);
      requests_.emplace_back(request, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
      base::write_all(connection, answer);
      ::close(connection);
    }
  }

  int listener_;
  std::vector<std::string> answers_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

std::string problem(int status, const std::string& title) {
  const std::string body = "{\"title\": \"" + title + "\", \"detail\": \"so it is\"}";
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

std::string events(const std::string& lines) {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + lines;
}

std::string line(const std::string& id, const std::string& text) {
  return "id: " + id + "\ndata: {\"rank\": 0, \"text\": \"" + text + "\"}\n\n";
}

const char* const kEnd = "event: end\ndata: {}\n\n";

class FollowLogTest : public ::testing::Test {
 protected:
  FollowLogTest() {
    std::string name = "/tmp/lockstep-client-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~FollowLogTest() override { std::filesystem::remove_all(folder_); }

  // The first answer is for the connection that finds out whether a service is there.
  Result<void> follow(std::vector<std::string> answers, int wanted = 99) {
    answers.insert(answers.begin(), "");
    ScriptedService service(socket_in(folder_), std::move(answers));
    const Client client = Client::connect(folder_, "/bin/false").value();
    auto outcome = follow_log(client, "job_1", "",
                              [&](int, const std::string& text) {
                                lines_.push_back(text);
                                return static_cast<int>(lines_.size()) < wanted;
                              },
                              {.tries = 3, .between = std::chrono::milliseconds(1)});
    requests_ = service.requests();
    return outcome;
  }

  std::filesystem::path folder_;
  std::vector<std::string> lines_;
  std::vector<std::string> requests_;
};

TEST_F(FollowLogTest, GoesOnBehindTheLastLineWhenTheServiceBreaksOff) {
  const auto outcome =
      follow({events(line("1.10", "a") + line("1.20", "b")), "", events(line("1.30", "c") + kEnd)});
  ASSERT_TRUE(outcome.ok()) << outcome.error().what;
  EXPECT_THAT(lines_, ElementsAre("a", "b", "c"));
  ASSERT_EQ(requests_.size(), 4U);
  EXPECT_THAT(requests_.back(), HasSubstr("Last-Event-ID: 1.20\r\n"));
}

TEST_F(FollowLogTest, ARefusalIsMeant) {
  const auto outcome = follow({problem(404, "There is no such job"), events(line("1.1", "a") + kEnd)});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().what, "There is no such job");
  EXPECT_EQ(outcome.error().why, "so it is");
  EXPECT_THAT(lines_, IsEmpty()) << "it was not asked again";
}

TEST_F(FollowLogTest, TheWordsOfARefusalDecideNothing) {
  EXPECT_FALSE(follow({problem(403, "out of reach: the service broke off"), events(kEnd)}).ok());
}

TEST_F(FollowLogTest, AServiceWithoutItsStoreComesBack) {
  const auto outcome = follow({problem(503, "Nothing to see"), events(line("1.1", "a") + kEnd)});
  ASSERT_TRUE(outcome.ok()) << outcome.error().what;
  EXPECT_THAT(lines_, ElementsAre("a"));
}

TEST_F(FollowLogTest, GivesUpWhenTheServiceStaysAway) {
  const auto outcome = follow({"", "", "", events(line("1.1", "late") + kEnd)});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().what, "lost the service");
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(FollowLogTest, ALineThatComesRenewsThePatience) {
  const auto outcome = follow({"", "", events(line("1.1", "a")), "", events(kEnd)});
  EXPECT_TRUE(outcome.ok());
  EXPECT_THAT(lines_, ElementsAre("a"));
}

TEST_F(FollowLogTest, EndsWhenNobodyWantsMore) {
  EXPECT_TRUE(follow({events(line("1.1", "a") + line("1.2", "b"))}, 1).ok());
  EXPECT_THAT(lines_, ElementsAre("a"));
}

}  // namespace
}  // namespace lockstep::service
