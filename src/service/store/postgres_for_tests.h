// A PostgreSQL server of the tests' own: in a new folder, over a Unix socket alone, and gone with this
// process.
#pragma once

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/store/postgres.h"

namespace lockstep::service {

class PostgresForTests {
 public:
  PostgresForTests() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lockstep_pg_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    run_to_end("chmod 755 {0}; test $(id -u) != 0 || chown postgres {0}");
    run_to_end("exec " + as_user() +
               "$(pg_config --bindir)/initdb -D {0}/data -U postgres -A trust -E UTF8 --locale C --no-sync "
               "--wal-segsize 1 > {0}/initdb.log 2>&1");
    start();
  }
  PostgresForTests(const PostgresForTests&) = delete;
  PostgresForTests& operator=(const PostgresForTests&) = delete;
  ~PostgresForTests() {
    stop();
    std::filesystem::remove_all(folder_);
  }

  std::string address() const { return fmt::format("postgresql://postgres@/postgres?host={}", folder_); }
  std::string data() const { return folder_ + "/data"; }

  void start() {
    server_ = spawn("exec " + as_user() +
                    "$(pg_config --bindir)/postgres -D {0}/data -k {0} -c listen_addresses= -c fsync=off "
                    ">> {0}/log 2>&1");
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!PostgresDatabase::open(address()).ok()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "no server in " << folder_;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  // As a crash would.
  void stop() {
    ::kill(server_, SIGQUIT);
    ::waitpid(server_, nullptr, 0);
  }

  void run(const std::string& sql) const {
    auto connection = PostgresDatabase::open(address());
    ASSERT_TRUE(connection.ok());
    ASSERT_TRUE(connection.value()->run_script(sql).ok()) << sql;
  }

 private:
  // The server does not run for root, and ends when the test does, however that ends.
  static std::string as_user() {
    std::string words = "setpriv --pdeathsig QUIT ";
    if (::geteuid() == 0) words += "--reuid postgres --regid postgres --clear-groups ";
    return words;
  }

  pid_t spawn(const std::string& script) const {
    const std::string text = fmt::format(fmt::runtime(script), folder_);
    const pid_t child = ::fork();
    if (child == 0) {
      ::execl("/bin/sh", "sh", "-c", text.c_str(), nullptr);
      ::_exit(127);
    }
    return child;
  }

  void run_to_end(const std::string& script) const {
    int status = 0;
    ::waitpid(spawn(script), &status, 0);
    ASSERT_EQ(status, 0) << script;
  }

  std::string folder_;
  pid_t server_ = 0;
};

// One for all tests of this process.
inline PostgresForTests& postgres_server() {
  static PostgresForTests made;
  return made;
}

}  // namespace lockstep::service
