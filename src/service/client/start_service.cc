#include "service/client/start_service.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>
#include <vector>

namespace lockstep::service {

namespace fs = std::filesystem;

Result<std::string> own_program() {
  std::error_code fault;
  const fs::path program = fs::read_symlink("/proc/self/exe", fault);
  if (fault) return Error{"this program does not know where it is", "", fault.message(), ""};
  return program.string();
}

Result<void> start_service(const fs::path& state_folder, const std::string& program) {
  std::error_code fault;
  fs::create_directories(state_folder, fault);
  if (!fault) fs::permissions(state_folder, fs::perms::owner_all, fault);
  if (fault)
    return Error{"cannot make the folder of the service", state_folder.string(), fault.message(), ""};
  const std::string log = (state_folder / "service.log").string();
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::vector<std::string> words = {program, "serve", "--state", state_folder.string(), "--rest-after", "60"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int outcome = ::posix_spawn(&pid, argv[0], &files, &attributes, argv.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (outcome != 0) return Error{"cannot start the service", program, std::strerror(outcome), ""};
  return {};
}

}  // namespace lockstep::service
