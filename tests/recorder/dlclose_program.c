/* Loads the recorder by hand and unloads it while it records: dlclose_program LIBRARY */
#include <dlfcn.h>
#include <stdio.h>

#include "lockstep/recorder.h"

int main(int argc, char** argv) {
  void* library = argc < 2 ? NULL : dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  int (*start_rank)(const struct lockstep_rank_facts*);
  struct lockstep_rank_facts facts = {0};
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  *(void**)&start_rank = dlsym(library, "lockstep_start_rank");
  if (start_rank == NULL) return 2;
  facts.size = sizeof facts;
  facts.rank = 1;
  facts.local_rank = -1;
  facts.world_size = -1;
  facts.restart = -1;
  if (start_rank(&facts) != 0) return 3;
  return dlclose(library) == 0 ? 5 : 4;
}
