// The calling end of a probed connection, without the connection: bytes in, bytes out, and how far it came.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check/probe/handshake.h"
#include "check/probe/outcome.h"

namespace lockstep::probe {

class Caller {
 public:
  using Clock = std::chrono::steady_clock;

  Caller(std::string_view token, std::uint32_t expected_host, const Request& request, const Nonce& nonce);

  void take(std::string_view bytes, Clock::time_point now);
  // Bytes to send; the stream is made as it is sent.
  std::string_view unsent() const;
  void wrote(std::size_t count);

  bool is_over() const { return step_ == Step::kOver; }
  // When it is over, or when nothing comes any more: what it means that it came so far.
  End end() const;
  // How often it went a step further: who waits can see that it moves.
  int steps() const { return steps_; }
  void tell(Outcome& outcome) const;  // who answered, and what was measured

 private:
  enum class Step { kNonce, kAnswer, kLargeTaken, kLargeBack, kEchoes, kStream, kOver };

  std::size_t wanted() const;
  void step(std::string_view bytes, Clock::time_point now);
  void begin(Step step, Clock::time_point now);

  std::string_view token_;
  std::uint32_t expected_host_;
  Request request_;
  std::string nonces_;
  Step step_ = Step::kNonce;
  int steps_ = 0;
  bool is_refused_ = false;  // the answer was not sealed with our token
  bool is_wrong_host_ = false;
  std::uint32_t answered_by_ = 0;
  std::uint64_t to_skip_ = 0;  // of large bytes that come
  std::uint64_t to_stream_ = 0;
  Clock::time_point began_{};  // of the echo or the stream under way
  std::vector<std::uint64_t> echoes_ns_;
  std::uint64_t bytes_per_s_ = 0;
  std::string in_;
  std::string out_;
};

}  // namespace lockstep::probe
