// The answering end of a probed connection, without the connection: bytes in, bytes out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "check/probe/handshake.h"

namespace lockstep::probe {

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

}  // namespace lockstep::probe
