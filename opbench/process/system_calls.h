#pragma once

#include <linux/filter.h>

#include <vector>

namespace opbench {

/// A filter of system calls (seccomp), rule by rule: what no rule names is allowed. Calls of other interfaces than x86-64's get
/// the verdict of the filter; a process of another architecture ends.
class SystemCallFilter {
 public:
  /// `verdict` is what calls get that a rule names: SECCOMP_RET_TRAP, or SECCOMP_RET_ERRNO with an error.
  explicit SystemCallFilter(unsigned verdict);

  void refuse(int number);
  /// Answers as a kernel that does not have the system call: its arguments lie in memory, which a filter does not see.
  void hide(int number);
  /// Refuses the system call if any of the bits of an argument is set, or if none is.
  void refuseIf(int number, int argument, unsigned bits, bool set = true);
  /// Refuses it unless the lower half of an argument has this value.
  void refuseUnless(int number, int argument, unsigned value);

  /// Has the kernel filter the calls of all threads, for good. False where it has no such filters, or none are permitted.
  bool install();

 private:
  void add(int what, unsigned value);
  void loadNumber();
  void end(unsigned verdict);
  void skipUnless(int comparison, unsigned value, unsigned char count, bool otherwise = false);
  void loadArgument(int argument);

  unsigned verdict_;
  std::vector<sock_filter> code_;
};

}  // namespace opbench
