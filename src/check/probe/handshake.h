// How a caller and an answering agent prove to each other, on a connection that is probed, that both have the
// token. Every message is small until both have: a large one tells something of the way only then.
//
//     caller                                        answerer
//     knock: magic, nonce                      --->
//                                              <--- nonce
//     request (sizes) and its seal             --->
//                                              <--- its host's number, sealed
//     large bytes                              --->
//                                              <--- one byte
//     one byte                                 --->
//                                              <--- large bytes
//     echoes: one byte                         --->
//                                              <--- one byte
//     a stream of bytes                        --->
//                                              <--- one byte
//
// What the request asks none of is left out.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check/probe/messages.h"

namespace lockstep::probe {

inline constexpr std::string_view kKnockWord = "\x89LKPROB\n";
inline constexpr std::size_t kNonceBytes = 16;
inline constexpr std::size_t kSealBytes = 32;
inline constexpr char kMark = '+';

using Nonce = std::array<char, kNonceBytes>;

struct Request {
  std::uint32_t large_bytes = 0;
  std::uint32_t echoes = 0;
  std::uint32_t stream_bytes = 0;
};
inline constexpr std::size_t kRequestBytes = 12;
std::string to_bytes(const Request& request);
Request request_from(std::string_view bytes);  // kRequestBytes of them

// Of one connection, by the nonces of both.
struct Seals {
  std::string_view token;
  std::string nonces;  // the caller's, then the answerer's

  std::string of_request(std::string_view request) const;
  std::string of_answer(std::string_view host) const;
};
bool is_same_seal(std::string_view a, std::string_view b);

// From the kernel.
Nonce fresh_nonce();

// The answering end of a probed connection, without the connection: bytes in, bytes out.
class Answerer {
 public:
  Answerer(std::string_view token, std::uint32_t own_number, const Nonce& nonce)
      : token_(token), own_number_(own_number), nonce_(nonce) {}

  // Memory does not grow with what comes.
  void take(std::string_view bytes);
  std::string_view unsent() const { return std::string_view(out_).substr(out_begin_); }
  void wrote(std::size_t count);

  bool is_refused() const { return step_ == Step::kRefused; }
  bool is_trusted() const { return is_trusted_; }

 private:
  enum class Step { kKnock, kRequest, kLarge, kGoOn, kEchoes, kStream, kOver, kRefused };

  std::size_t wanted() const;  // bytes before the next step can be done
  void step(std::string_view bytes);
  void take_request(std::string_view bytes);
  void begin(Step step);

  std::string_view token_;
  std::uint32_t own_number_;
  Nonce nonce_;
  std::string nonces_;
  Request request_;
  Step step_ = Step::kKnock;
  std::uint64_t to_skip_ = 0;  // of large bytes and of the stream
  std::uint32_t echoes_left_ = 0;
  bool is_trusted_ = false;
  std::string in_;
  std::string out_;
  std::size_t out_begin_ = 0;
};

// The calling end of a probed connection, without the connection: bytes in, bytes out, and how far it came.
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
