#include "check/probe/outcome.h"

#include <cstddef>
#include <iterator>

namespace lockstep::probe {
namespace {

struct Words {
  std::string_view word;
  std::string_view sentence;
};

constexpr Words kWords[] = {
    {"open", "the connection was made"},
    {"open_to_other", "the connection was made, to a program that listens there already"},
    {"refused", "the connection was refused"},
    {"unreachable", "the network says that there is no way"},
    {"silent", "nothing came back"},
    {"no_answer", "the connection was made, but no agent answered"},
    {"wrong_host", "another host answered"},
    {"large_lost", "small packets pass, large ones are lost"},
    {"large_lost_back", "small packets pass, large ones are lost on the way back"},
    {"not_tried", "it could not be tried"},
};
static_assert(std::size(kWords) == kEnds);

}  // namespace

std::string_view word_for(End end) {
  return kWords[static_cast<std::size_t>(end)].word;
}

std::string_view in_words(End end) {
  return kWords[static_cast<std::size_t>(end)].sentence;
}

}  // namespace lockstep::probe
