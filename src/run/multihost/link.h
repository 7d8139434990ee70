// The watcher of this host and those of the job's other hosts. One of them is the head: it has copies of all
// ranks' records and judges them; the others are satellites, which feed it and say what it found.
//
// A thread of its own does the work; whatever happens to the connection, neither the job nor the watcher of
// this host waits for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/multihost/mailbox.h"
#include "run/multihost/messages.h"

namespace lockstep::multihost {

struct News {
  enum class Kind : std::uint8_t {
    kJoined,     // `host` is there; of a satellite: its head
    kLost,       // `host` is there no more, `text` says why
    kTrouble,    // `text` is for the user
    kNotice,     // the head's watcher says something
    kTestimony,  // processes of `host` testified
    kVerdict,    // the head's, at the end
    kFinished    // is_finished() may have become true
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
  virtual void send_testimony() = 0;

  // This host's part of the job has ended: a satellite sends the rest, a head waits for the rest of others.
  virtual void finish(int status) = 0;
  // Whether everything is sent and received that finish() asked for.
  virtual bool is_finished() const = 0;

 protected:
  Mailbox<News> news_;
};

}  // namespace lockstep::multihost
