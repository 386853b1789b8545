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

/// While it lives, cuDNN takes algorithms that give the same bits each time. The choice is the process's.
class RepeatableCudnn {
 public:
  RepeatableCudnn();
  ~RepeatableCudnn();
  RepeatableCudnn(const RepeatableCudnn&) = delete;
  RepeatableCudnn& operator=(const RepeatableCudnn&) = delete;

 private:
  bool before_;
};

}  // namespace runtime
