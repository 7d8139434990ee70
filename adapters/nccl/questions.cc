#include "questions.h"

#include <atomic>

namespace lockstep::adapters::nccl {
namespace {

struct Place {
  std::atomic<std::uint64_t> turn;  // 2 n: free for the n-th round; 2 n + 1: filled in it
  Question question;
};
Place places[kMostQuestions];
std::atomic<std::uint64_t> next_added;
std::uint64_t next_taken;

}  // namespace

bool add_question(const Question& question) {
  std::uint64_t number = next_added.load(std::memory_order_relaxed);
  for (;;) {
    Place& place = places[number % kMostQuestions];
    const std::uint64_t round = number / kMostQuestions;
    const std::uint64_t turn = place.turn.load(std::memory_order_acquire);
    if (turn < 2 * round) return false;
    if (turn == 2 * round &&
        next_added.compare_exchange_weak(number, number + 1, std::memory_order_relaxed)) {
      place.question = question;
      place.turn.store(2 * round + 1, std::memory_order_release);
      return true;
    }
    if (turn != 2 * round) number = next_added.load(std::memory_order_relaxed);
  }
}

bool take_question(Question& question) {
  Place& place = places[next_taken % kMostQuestions];
  const std::uint64_t round = next_taken / kMostQuestions;
  if (place.turn.load(std::memory_order_acquire) != 2 * round + 1) return false;
  question = place.question;
  place.turn.store(2 * round + 2, std::memory_order_release);
  ++next_taken;
  return true;
}

}  // namespace lockstep::adapters::nccl
