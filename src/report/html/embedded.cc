#include "report/html/html.h"

asm(".section .rodata\n.balign 64\n.global lockstep_page_begin\nlockstep_page_begin:\n.incbin "
    "\"" LOCKSTEP_PAGE "\"\n.global lockstep_page_end\nlockstep_page_end:\n.byte 0\n.previous\n");
extern "C" const char lockstep_page_begin[];
extern "C" const char lockstep_page_end[];

namespace lockstep::html {

std::string_view embedded_page() {
  return {lockstep_page_begin, lockstep_page_end};
}

}  // namespace lockstep::html
