// A head on a real port of this host, and whoever comes there.
#include "run/multihost/head.h"

#include <arpa/inet.h>
#include <filesystem>
#include <sys/socket.h>
#include <thread>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/multihost/satellite.h"

namespace lockstep::multihost {
namespace {

using std::chrono::seconds;

class HeadTest : public ::testing::Test {
 protected:
  HeadTest() {
    std::string name = "/tmp/lockstep-head-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    for (const char* part : {"here", "there"}) std::filesystem::create_directory(folder_ / part);
    for (port_ = 21'000; head_ == nullptr && port_ < 22'000;) {
      auto head = Head::start({folder_ / "here", "n1", ++port_, "token"});
      if (head.ok()) head_ = std::move(head).value();
    }
  }
  ~HeadTest() override {
    strangers_.clear();
    head_.reset();
    std::filesystem::remove_all(folder_);
  }

  process::Descriptor stranger() const {
    process::Descriptor connection(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port_);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(connection.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    return connection;
  }
  std::unique_ptr<Satellite> satellite() const {
    return std::make_unique<Satellite>(
        SatelliteOptions{.recording = folder_ / "there",
                         .host = "n2",
                         .version = "1",
                         .index = 1,
                         .head = {"127.0.0.1", port_},
                         .token = [] { return Result<std::string>(std::string("token")); }});
  }
  // Far longer than any machine needs.
  bool joins(const Satellite& satellite) const {
    const auto until = std::chrono::steady_clock::now() + seconds(60);
    while (satellite.other_hosts() == 0 && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return satellite.other_hosts() == 1;
  }

  std::filesystem::path folder_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Head> head_;
  std::vector<process::Descriptor> strangers_;
};

// Each comes again as soon as it is let go: before, they had all places for as long as they liked.
TEST_F(HeadTest, WhoSaysNothingKeepsNobodyOut) {
  for (int i = 0; i < 500; ++i) strangers_.push_back(stranger());
  const auto arrived = satellite();
  EXPECT_TRUE(joins(*arrived));
  EXPECT_EQ(head_->other_hosts(), 1U);
}

TEST_F(HeadTest, GarbageIsLetGoAndKeepsNobodyOut) {
  std::string garbage(64 << 10, '\0');
  for (std::size_t i = 0; i < garbage.size(); ++i) garbage[i] = static_cast<char>(i * 131 + i / 251);
  for (int i = 0; i < 300; ++i) {
    strangers_.push_back(stranger());
    std::ignore =
        ::send(strangers_.back().get(), garbage.data() + i, garbage.size() - i, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  const auto arrived = satellite();
  EXPECT_TRUE(joins(*arrived));
}

}  // namespace
}  // namespace lockstep::multihost
