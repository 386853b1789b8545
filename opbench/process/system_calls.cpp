#include "opbench/process/system_calls.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace opbench {

#if defined(__x86_64__)

/// The accumulator has the system call's number between rules.
SystemCallFilter::SystemCallFilter(unsigned verdict) : verdict_(verdict) {
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  skipUnless(BPF_JEQ, AUDIT_ARCH_X86_64, 1, /*otherwise=*/true);
  end(SECCOMP_RET_KILL_PROCESS);
  loadNumber();
  skipUnless(BPF_JGE, 0x40000000, 1);  // the numbers of another interface
  end(verdict_);
}

bool SystemCallFilter::install() {
  end(SECCOMP_RET_ALLOW);
  const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else

SystemCallFilter::SystemCallFilter(unsigned verdict) : verdict_(verdict) {}
bool SystemCallFilter::install() { return false; }

#endif

void SystemCallFilter::refuse(int number) {
  skipUnless(BPF_JEQ, static_cast<unsigned>(number), 1);
  end(verdict_);
}

void SystemCallFilter::hide(int number) {
  skipUnless(BPF_JEQ, static_cast<unsigned>(number), 1);
  end(SECCOMP_RET_ERRNO | ENOSYS);
}

void SystemCallFilter::refuseIf(int number, int argument, unsigned bits, bool set) {
  skipUnless(BPF_JEQ, static_cast<unsigned>(number), 4);
  loadArgument(argument);
  skipUnless(BPF_JSET, bits, 1, /*otherwise=*/!set);
  end(verdict_);
  loadNumber();
}

void SystemCallFilter::refuseUnless(int number, int argument, unsigned value) {
  skipUnless(BPF_JEQ, static_cast<unsigned>(number), 4);
  loadArgument(argument);
  skipUnless(BPF_JEQ, value, 1, /*otherwise=*/true);
  end(verdict_);
  loadNumber();
}

void SystemCallFilter::add(int what, unsigned value) { code_.push_back({static_cast<unsigned short>(what), 0, 0, value}); }

void SystemCallFilter::loadNumber() { add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)); }

void SystemCallFilter::loadArgument(int argument) {
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + static_cast<unsigned>(argument) * 8);
}

void SystemCallFilter::end(unsigned verdict) { add(BPF_RET | BPF_K, verdict); }

/// Skips so many instructions unless the comparison holds; with `otherwise`, if it does.
void SystemCallFilter::skipUnless(int comparison, unsigned value, unsigned char count, bool otherwise) {
  const auto code = static_cast<unsigned short>(BPF_JMP | comparison | BPF_K);
  code_.push_back(
      {code, otherwise ? count : static_cast<unsigned char>(0), otherwise ? static_cast<unsigned char>(0) : count, value});
}

}  // namespace opbench
