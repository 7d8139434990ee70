// Submits a job of two ranks through the C++ client library, says what it printed and how it ended.
//
// usage: client_program LOCKSTEP COMMAND
#include <cstdio>

#include <lockstep/client.h>

int main(int, char** words) {
  using namespace lockstep::client;
  try {
    const Service service = Service::of_this_user(words[1]);
    const Job job = service.submit({.command = {"/bin/sh", "-c", words[2]}, .workers = 2});
    service.follow(job.id, [](int rank, std::string_view line) {
      std::printf("[%d] %.*s\n", rank, static_cast<int>(line.size()), line.data());
      std::fflush(stdout);
    });
    Job end = service.job(job.id);
    while (!end.is_over()) end = service.job(job.id);
    std::printf("%s, rank %d, status %d\n", end.state.c_str(), end.first_failed_rank.value_or(-1),
                end.exit_status.value_or(-1));
    service.submit({.script = "/nowhere/train.py", .workers = 2});
  } catch (const Failure& failure) {
    std::printf("%s\n", failure.what());
  }
}
