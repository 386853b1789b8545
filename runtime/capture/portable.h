#pragma once

namespace runtime {

/// While it lives, ATen chooses operators that every device has: neither cuDNN nor oneDNN, and attention as products and a
/// softmax. The choice is the process's.
class PortableOperators {
 public:
  PortableOperators();
  ~PortableOperators();
  PortableOperators(const PortableOperators&) = delete;
  PortableOperators& operator=(const PortableOperators&) = delete;

 private:
  struct Choice {
    bool cudnn, oneDnn, flash, efficient, cudnnAttention;
  };
  static Choice current();
  static void choose(const Choice& choice);

  Choice before_;
};

}  // namespace runtime
