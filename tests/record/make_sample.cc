// Writes the sample recording to a file: make_sample PATH. For golden records and fuzz seeds.
#include <cstdio>

#include "sample_recording.h"

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: make_sample PATH\n");
    return 2;
  }
  lockstep::tests::write_sample(words[1]);
}
