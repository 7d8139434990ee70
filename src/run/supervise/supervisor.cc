#include "run/supervise/supervisor.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/process/run.h"
#include "base/result.h"
#include "run/supervise/status_holder.h"

namespace lockstep::supervise {

namespace {

// Keeps in the recording what a job prints.
class JobLog {
 public:
  static Result<JobLog> in_recording(const std::filesystem::path& recording);

  void keep(process::Stream stream, std::string_view bytes) {
    (is_ending_ ? ending_ : files_).keep(stream, bytes);
  }
  // What follows is the job's answer to being ended: kept where no judge looks.
  void begin_ending() { is_ending_ = true; }
  // Takes files away into which nothing was printed.
  void finish() const;
  bool is_whole() const { return files_.is_whole() && ending_.is_whole(); }

 private:
  JobLog(process::OutputFiles files, process::OutputFiles ending)
      : files_(std::move(files)), ending_(std::move(ending)) {}

  process::OutputFiles files_;
  process::OutputFiles ending_;  // open from the start: later there may be no descriptor or no memory for it
  std::vector<std::string> paths_;
  bool is_ending_ = false;
};

namespace fs = std::filesystem;

Result<JobLog> JobLog::in_recording(const fs::path& recording) {
  const fs::path folder = recording / "output";
  std::error_code fault;
  fs::create_directory(folder, fault);
  if (fault) return Error{"cannot make the folder", folder.string(), fault.message(), ""};
  process::OutputFiles files = TRY(process::OutputFiles::open(folder, "job"));
  process::OutputFiles ending = TRY(process::OutputFiles::open(folder, ".after_the_end_was_asked"));
  JobLog log(std::move(files), std::move(ending));
  for (const char* name :
       {"job.out", "job.err", ".after_the_end_was_asked.out", ".after_the_end_was_asked.err"})
    log.paths_.push_back(folder / name);
  return log;
}

void JobLog::finish() const {
  for (const std::string& path : paths_) {
    struct stat written {};
    if (::lstat(path.c_str(), &written) == 0 && S_ISREG(written.st_mode) && written.st_size == 0)
      ::unlink(path.c_str());
  }
}

// The end of a job, from one process of this program to the other: nothing that could fail for lack of
// memory. What kept it from starting is JSON.
struct EndMessage {
  int exit_status;
  int signal;  // 0: none, here and below
  int interrupted_by;
  bool left_processes;
  bool log_is_whole;
  std::int64_t ran_ms;
  std::int64_t quiet_ms;
};

EndMessage encode(const SupervisedEnd& ended) {
  const process::RunEnd& run = ended.run;
  return {.exit_status = run.exit_status,
          .signal = run.ended_by_signal.value_or(0),
          .interrupted_by = run.interrupted_by.value_or(0),
          .left_processes = run.left_processes,
          .log_is_whole = ended.log_is_whole,
          .ran_ms = run.ran.count(),
          .quiet_ms = run.quiet.count()};
}

std::string encode(const Error& error) {
  const base::Json json = {
      {"what", error.what}, {"where", error.where}, {"why", error.why}, {"hint", error.hint}};
  return base::to_text(json, base::JsonLayout::kOneLine);
}

std::optional<int> unless_zero(int number) {
  return number == 0 ? std::nullopt : std::optional(number);
}

Result<SupervisedEnd> decode(const std::string& text) {
  if (text.empty()) return Error{"the job was lost", "", "the process that ran it was killed", ""};
  if (text.front() == '{') {
    const base::Json json = TRY(base::parse_json(text, "supervisor"));
    return Error{json.at("what").get<std::string>(), json.at("where").get<std::string>(),
                 json.at("why").get<std::string>(), json.at("hint").get<std::string>()};
  }
  EndMessage message{};
  if (text.size() != 1 + sizeof message) return Error{"the job was lost", "", "its end was told in part", ""};
  std::memcpy(&message, text.data() + 1, sizeof message);
  SupervisedEnd ended;
  ended.run.exit_status = message.exit_status;
  ended.run.ended_by_signal = unless_zero(message.signal);
  ended.run.interrupted_by = unless_zero(message.interrupted_by);
  ended.run.left_processes = message.left_processes;
  ended.run.ran = std::chrono::milliseconds(message.ran_ms);
  ended.run.quiet = std::chrono::milliseconds(message.quiet_ms);
  ended.log_is_whole = message.log_is_whole;
  return ended;
}

void tell(const process::Descriptor& answering, const SupervisedEnd& ended) {
  char bytes[1 + sizeof(EndMessage)] = {'='};
  const EndMessage message = encode(ended);
  std::memcpy(bytes + 1, &message, sizeof message);
  (void)base::write_all(answering.get(), {bytes, sizeof bytes});
}

constexpr int kCouldNotRun = 2;  // exit status

// The process that started the supervisor, and what it says.
struct Above {
  pid_t pid;
  const process::SignalPipe& orders;
};

// Sets the status as soon as the job has one: whatever fails afterwards does not take it away.
Result<SupervisedEnd> supervise(const process::Command& command, const std::filesystem::path& recording,
                                const Above& above, std::optional<int>& status) {
  JobLog log = TRY(JobLog::in_recording(recording));
  process::RunOptions options;
  options.obeys = above.pid;
  options.orders = &above.orders;
  options.hand_out_to = STDOUT_FILENO;
  options.hand_err_to = STDERR_FILENO;
  options.on_asking_to_end = [&] { log.begin_ending(); };
  options.on_output = [&](process::Stream stream, std::string_view bytes) { log.keep(stream, bytes); };
  SupervisedEnd ended;
  ended.run = TRY(process::run(command, options));
  status = ended.run.status();
  log.finish();
  ended.log_is_whole = log.is_whole();
  return ended;
}

// Whatever fails here, the status is the job's.
[[noreturn]] void supervise_and_exit(const process::Command& command, const std::filesystem::path& recording,
                                     const Above& above, const process::Descriptor& answering) {
  // In a group of its own: what is typed at the terminal reaches the job once, through the process above.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != above.pid) ::_exit(kCouldNotRun);
  ::signal(SIGPIPE, SIG_IGN);
  std::optional<int> status;
  try {
    const Result<SupervisedEnd> ended = supervise(command, recording, above, status);
    if (ended.ok()) {
      tell(answering, ended.value());
    } else {
      (void)base::write_all(answering.get(), encode(ended.error()));
    }
    ::_exit(status.value_or(kCouldNotRun));
  } catch (const std::exception&) {
    // The watcher finds no answer, and says so.
  }
  if (status) ::_exit(*status);
  std::abort();  // what is left of the job is ended by the process above, which takes no status from a signal
}

// Ctrl-Z stops the process above, which stops this one: a shell waits for that one alone.
void begin_watching(pid_t holder) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != holder) ::_exit(kCouldNotRun);
  for (const int number : {SIGTSTP, SIGTTIN, SIGTTOU}) ::signal(number, SIG_IGN);
}

}  // namespace

Result<Supervisor> Supervisor::start(const process::Command& command, const std::filesystem::path& recording,
                                     Caller caller) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{"cannot make a pipe", "", std::strerror(errno), ""};
  process::Descriptor answer(ends[0]);
  process::Descriptor answering(ends[1]);
  process::SignalPipe orders = TRY(process::SignalPipe::make());
  std::optional<StatusHolder> holder;  // signals are held from here on: none is lost between the forks
  if (caller == Caller::kHoldsStatus) holder.emplace(recording);
  bool is_alone = false;
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return Error{"cannot start a process", "", std::strerror(errno), ""};
  if (pid == 0) supervise_and_exit(command, recording, {parent, orders}, answering);
  if (holder) {
    const pid_t watcher = ::fork();
    if (watcher > 0) {
      answer.close();
      answering.close();
      holder->hold(pid, watcher, orders);
    }
    if (watcher == 0) begin_watching(parent);
    is_alone = watcher < 0;
  }
  Supervisor started(pid, caller, std::move(answer), std::move(orders));
  // Without a watcher the job is as well off; this process then watches and holds nothing.
  if (is_alone) started.caller_ = Caller::kWatches;
  return started;
}

bool Supervisor::asks_to_end(int signal) const {
  const bool asks = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
  return asks && !(is_of_a_run_ && process::was_ignored_at_start(signal));
}

void Supervisor::pass_on(const process::ArrivedSignal& signal) const {
  if (caller_ == Caller::kWatches) {
    order(signal.number);
  }
}

void Supervisor::order(int signal) const {
  orders_.send(signal, process::kSignalToGroup | process::kSignalWithDeadline);
}

void Supervisor::end_job() const {
  if (caller_ == Caller::kHoldsStatus) {
    ::kill(::getppid(), SIGTERM);
  } else {
    order(SIGTERM);
  }
}

Result<SupervisedEnd> Supervisor::finish() {
  std::string answer;
  char chunk[4096];
  for (;;) {
    const ssize_t count = ::read(answer_.get(), chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    answer.append(chunk, static_cast<std::size_t>(count));
  }
  while (caller_ == Caller::kWatches && ::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (answer.empty() && is_of_a_run_) {
    SupervisedEnd lost{.run = {}, .log_is_whole = false, .was_lost = true};
    lost.run.ended_by_signal = SIGKILL;
    return lost;
  }
  return decode(answer);
}

}  // namespace lockstep::supervise
