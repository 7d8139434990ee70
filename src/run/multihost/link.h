// The watcher of this host and those of the job's other hosts. One of them is the head: it has copies of all
// ranks' records and judges them; the others are satellites, which feed it and say what it found.
//
// A thread of its own does the work; whatever happens to the connection, neither the job nor the watcher of
// this host waits for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/process/descriptor.h"
#include "run/multihost/messages.h"

namespace lockstep::multihost {

// Things that one thread leaves for another, with a descriptor that is readable while there are some.
template <typename Thing>
class Mailbox {
 public:
  void put(Thing thing) {
    const std::lock_guard lock(mutex_);
    things_.push_back(std::move(thing));
    const std::uint64_t one = 1;
    (void)!::write(wakes_.get(), &one, sizeof one);
  }
  std::vector<Thing> take_all() {
    const std::lock_guard lock(mutex_);
    std::uint64_t ignored = 0;
    (void)!::read(wakes_.get(), &ignored, sizeof ignored);
    return std::exchange(things_, {});
  }
  int fd() const { return wakes_.get(); }

 private:
  std::mutex mutex_;
  std::vector<Thing> things_;
  process::Descriptor wakes_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
};

struct News {
  enum class Kind : std::uint8_t {
    kJoined,    // `host` is there; of a satellite: its head
    kLost,      // `host` is there no more, `text` says why
    kTrouble,   // `text` is for the user
    kNotice,    // the head's watcher says something
    kEvidence,  // `host` sent evidence from its processes
    kVerdict,   // the head's, at the end
    kFinished   // is_finished() may have become true
  };
  Kind kind{};
  std::string host;
  std::string text;
  std::string hint;        // what to do about it
  std::vector<int> ranks;  // of the host that was lost
  HeadNotice notice{};
  HeadVerdict verdict{};
};

class Link {
 public:
  virtual ~Link() = default;
  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  int fd() const { return news_.fd(); }  // readable when there is news
  std::vector<News> take_news() { return news_.take_all(); }

  // False while the head judges the ranks of this host.
  virtual bool judges_here() const = 0;
  // Until when the ranks of all hosts are known, on this host's clock; empty: there are none but this host's.
  virtual std::optional<std::int64_t> known_until_ns() const = 0;
  // How many hosts besides this one belong to the job now, or said goodbye.
  virtual std::size_t other_hosts() const = 0;

  // The head's word to its satellites; nothing from a satellite.
  virtual void tell(const HeadNotice& notice) = 0;
  virtual void tell(const HeadVerdict& verdict) = 0;
  // The record files of a lost host are taken away.
  virtual void forget(const std::string& host) = 0;
  // A satellite sends what its processes testified.
  virtual void send_evidence() = 0;

  // This host's part of the job has ended: a satellite sends the rest, a head waits for the rest of others.
  virtual void finish(int status) = 0;
  // Whether everything is sent and received that finish() asked for.
  virtual bool is_finished() const = 0;

 protected:
  Mailbox<News> news_;
};

}  // namespace lockstep::multihost
