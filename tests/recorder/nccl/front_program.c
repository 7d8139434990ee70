/* A program that loads NCCL by its name at run time, as TensorFlow and vLLM do: front_program */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "fake_nccl.h"

typedef int (*put_signal)(void*, size_t, int, int, void*, size_t, int, int, unsigned, void*, void*);

int main(void) {
  void* nccl = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  int (*init)(void**, int, struct fake_id, int);
  int (*reduce)(const void*, void*, size_t, int, int, void*, void*);
  put_signal put;
  struct fake_id id;
  void* made = NULL;
  if (nccl == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  *(void**)&init = dlsym(nccl, "ncclCommInitRank");
  *(void**)&reduce = dlsym(nccl, "ncclAllReduce");
  *(void**)&put = dlsym(nccl, "ncclPutSignal");
  memset(id.bytes, 'w', sizeof id.bytes);
  if (init == NULL || reduce == NULL || put == NULL) return 3;
  if (put((void*)1, 2, 3, 4, (void*)5, 6, 7, 8, 9, (void*)10, (void*)11) != 42) return 4;
  if (init(&made, 4, id, 1) != 0 || made == NULL) return 5;
  return reduce(&id, &id, 19, 7, 0, made, (void*)3) == 0 ? 0 : 6;
}
