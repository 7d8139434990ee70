#include "top/session.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include "base/process/signal_gate.h"
#include "top/history.h"
#include "top/render.h"
#include "top/terminal/key_decoder.h"
#include "top/terminal/raw_terminal.h"

namespace lockstep::top {

Poller::Poller(Look look, std::chrono::milliseconds interval)
    : look_(std::move(look)),
      interval_(interval),
      news_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

std::shared_ptr<const watch::Snapshot> Poller::take() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t ignored = ::read(news_.get(), &count, sizeof count);
  const std::lock_guard lock(mutex_);
  return latest_;
}

void Poller::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    auto seen = std::make_shared<const watch::Snapshot>(look_());
    std::unique_lock lock(mutex_);
    latest_ = std::move(seen);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t ignored = ::write(news_.get(), &one, sizeof one);
    stopped_.wait_for(lock, stop, interval_, [] { return false; });
  }
}

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kBetweenFrames{33};  // keys held down; without keys frames come with snapshots
constexpr int kForEver = -1;

class Session {
 public:
  Session(RawTerminal terminal, const process::SignalGate& signals, Look look, const SessionOptions& options)
      : terminal_(std::move(terminal)),
        signals_(signals),
        color_(options.color),
        poller_(std::move(look), options.interval) {}

  SessionEnd run() {
    resume();
    while (!is_over()) {
      wait();
      take_signals();
      if (is_to_draw_ && Clock::now() >= next_frame_) draw();
      terminal_.flush();
    }
    terminal_.leave();
    return {.has_findings = snapshot_ && !snapshot_->findings.empty(), .by_signal = by_signal_};
  }

 private:
  bool is_over() {
    if (terminal_.is_gone() && !by_signal_) by_signal_ = SIGHUP;
    return state_.wants_to_leave || by_signal_.has_value();
  }

  // A terminal that takes no more gets no further frame until it does: frames are left out, polling goes on.
  bool may_draw() const {
    return is_to_draw_ && snapshot_ && terminal_.is_entered() && !terminal_.has_unsent();
  }

  int patience_ms() const {
    int patience = kForEver;
    if (keys_.is_inside_sequence()) patience = KeyDecoder::kEscapeWaitMs;
    if (!may_draw()) return patience;
    const auto left = std::chrono::ceil<milliseconds>(next_frame_ - Clock::now()).count();
    const int until_frame = static_cast<int>(std::clamp<long>(left, 0, kBetweenFrames.count()));
    return patience == kForEver ? until_frame : std::min(patience, until_frame);
  }

  void wait() {
    const int tty = terminal_.is_entered() ? terminal_.fd() : -1;
    const auto wanted = static_cast<short>(terminal_.has_unsent() ? POLLIN | POLLOUT : POLLIN);
    pollfd sources[] = {{.fd = tty, .events = wanted, .revents = 0},
                        {.fd = signals_.fd(), .events = POLLIN, .revents = 0},
                        {.fd = poller_.fd(), .events = POLLIN, .revents = 0}};
    const int ready = ::poll(sources, std::size(sources), patience_ms());
    if (ready == 0 && keys_.is_inside_sequence()) press_all(keys_.no_more_came());
    if ((sources[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0)
      press_all(keys_.feed(terminal_.read_keys()));
    if ((sources[2].revents & POLLIN) != 0) take_snapshot();
  }

  void take_snapshot() {
    snapshot_ = poller_.take();
    history_.add(*snapshot_);
    is_to_draw_ = true;
  }

  void take_signals() {
    while (const auto number = signals_.next()) {
      if (*number == SIGWINCH) redraw_all();
      if (*number == SIGCONT) resume();
      if (*number == SIGTSTP) suspend();
      const bool is_end = *number == SIGINT || *number == SIGTERM || *number == SIGHUP || *number == SIGQUIT;
      if (is_end) by_signal_ = *number;
    }
  }

  void press_all(const std::vector<Key>& keys) {
    for (const Key key : keys) {
      if (key == Key::kSuspend) {
        ::kill(0, SIGTSTP);  // to all of the job, as the terminal itself would
      } else if (key == Key::kRedraw) {
        redraw_all();
      } else if (snapshot_) {
        state_ = press(std::move(state_), key, scene());
      } else if (key == Key::kLeave) {
        state_.wants_to_leave = true;
      }
      is_to_draw_ = true;
    }
  }

  void suspend() {
    terminal_.leave();
    sigset_t stop;
    sigset_t before;
    ::sigemptyset(&stop);
    ::sigaddset(&stop, SIGTSTP);
    ::raise(SIGTSTP);
    ::pthread_sigmask(SIG_UNBLOCK, &stop, &before);  // stops here
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    resume();
  }

  void resume() {
    if (!terminal_.is_in_front()) return;
    terminal_.enter();
    redraw_all();
  }

  void redraw_all() {
    redraw_.forget();
    is_to_draw_ = true;
  }

  Scene scene() const { return {*snapshot_, history_, terminal_.size()}; }

  void draw() {
    if (!may_draw()) return;
    const Scene seen = scene();
    std::vector<std::string> painted;
    for (const Line& line : render(seen, state_)) painted.push_back(line.painted(seen.size.columns, color_));
    terminal_.send(redraw_.update(painted));
    is_to_draw_ = false;
    next_frame_ = Clock::now() + kBetweenFrames;
  }

  RawTerminal terminal_;
  const process::SignalGate& signals_;
  bool color_;
  KeyDecoder keys_;
  Redraw redraw_;
  History history_;
  ViewState state_;
  std::shared_ptr<const watch::Snapshot> snapshot_;
  bool is_to_draw_ = false;
  Clock::time_point next_frame_;
  std::optional<int> by_signal_;
  Poller poller_;
};

}  // namespace

Result<SessionEnd> run_session(Look look, const SessionOptions& options) {
  RawTerminal terminal = TRY(RawTerminal::open());
  const process::SignalGate signals{SIGINT,  SIGTERM,  SIGHUP, SIGQUIT, SIGTSTP,
                                    SIGCONT, SIGWINCH, SIGTTOU};  // before the poller's thread begins
  return Session(std::move(terminal), signals, std::move(look), options).run();
}

}  // namespace lockstep::top
