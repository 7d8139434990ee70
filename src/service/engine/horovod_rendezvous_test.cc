#include "service/engine/horovod_rendezvous.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "service/engine/machine.h"

namespace lockstep::service {
namespace {

// One request and all of its answer, as Gloo asks.
std::string ask(int port, const std::string& method, const std::string& path, const std::string& body = "") {
  const process::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return "";
  base::write_all(socket.get(), fmt::format("{} {} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", method, path,
                                            body.size(), body));
  ::shutdown(socket.get(), SHUT_WR);
  std::string answer;
  char chunk[4096];
  for (ssize_t count = 0; (count = ::read(socket.get(), chunk, sizeof chunk)) > 0;)
    answer.append(chunk, static_cast<std::size_t>(count));
  return answer;
}

TEST(HorovodRendezvous, RanksFindWhatTheOthersPut) {
  const int port = free_ports(1, {}).value().front();
  HorovodRendezvous rendezvous = HorovodRendezvous::listen_on(port).value();
  rendezvous.serve();
  constexpr int kRanks = 8;
  std::vector<int> found(kRanks, 0);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back([&, rank] {
      ask(port, "PUT", fmt::format("/global/{}", rank), fmt::format("address of {}", rank));
      for (int other = 0; other < kRanks; ++other) {
        std::string answer;
        while (!answer.starts_with("HTTP/1.1 200"))
          answer = ask(port, "GET", fmt::format("/global/{}", other));
        found[static_cast<std::size_t>(rank)] +=
            answer.ends_with(fmt::format("address of {}", other)) ? 1 : 0;
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  EXPECT_EQ(found, std::vector<int>(kRanks, kRanks));
}

TEST(HorovodRendezvous, WhatNobodyPutIsNotThere) {
  const int port = free_ports(1, {}).value().front();
  HorovodRendezvous rendezvous = HorovodRendezvous::listen_on(port).value();
  rendezvous.serve();
  EXPECT_TRUE(ask(port, "GET", "/global/7").starts_with("HTTP/1.1 404"));
  ask(port, "PUT", "/global/7", "x");
  ask(port, "DELETE", "/global/7");
  EXPECT_TRUE(ask(port, "GET", "/global/7").starts_with("HTTP/1.1 404"));
}

}  // namespace
}  // namespace lockstep::service
