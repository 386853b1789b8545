#include "runtime/dispatch/interceptor.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/ThreadLocalState.h>
#include <c10/core/AutogradState.h>
#include <doctest/doctest.h>

#include <thread>

#include "runtime/flops/flop_count.h"
#include "runtime/workloads/network/step.h"
#include "tests/refusal.h"
#include "tests/runtime/capture/capture_bed.h"

using namespace runtime;
using tests::captured;

namespace {

/// Writes down which operators it sees.
class Listener : public Interceptor {
 public:
  explicit Listener(Inner inner) : inner_(inner) {}
  void call(InterceptedCall& call) override {
    ops.push_back(call.op().operator_name().name);
    at::ones({2}).mul_(2);  // its own calls are not seen
    call.carryOut(inner_);
  }

  std::vector<std::string> ops;

 private:
  Inner inner_;
};

bool takesThreads() { return c10::AutogradState::get_tls_state().get_multithreading_enabled(); }

using Ops = std::vector<std::string>;

}  // namespace

TEST_SUITE("interceptors") {
  TEST_CASE(
      "calls are seen as kernels compute them: composites as what they are made of, kernels as one call or with their own") {
    const at::Tensor x = at::ones({3, 3});
    Listener leaves(Inner::Unseen), all(Inner::Seen);
    {
      const Interception interception(leaves);
      at::linear(x, x, at::ones({3}));
      at::addbmm(x, x.view({1, 3, 3}), x.view({1, 3, 3}));
    }
    CHECK(leaves.ops == Ops{"aten::ones", "aten::t", "aten::addmm", "aten::view", "aten::view", "aten::addbmm"});
    {
      const Interception interception(all);
      at::ones_like(x);
    }
    CHECK(all.ops.front() == "aten::ones_like");
    CHECK(all.ops.size() > 1);
    const size_t seen = leaves.ops.size();
    at::ones_like(x);
    CHECK(leaves.ops.size() == seen);
  }

  TEST_CASE("several see a call, the latest first, and each what it asks for of its kernel") {
    const at::Tensor x = at::ones({3, 3});
    Listener leaves(Inner::Unseen), all(Inner::Seen);
    const Interception outer(all), inner(leaves);
    at::ones_like(x);
    CHECK(leaves.ops == Ops{"aten::ones_like"});
    CHECK(all.ops.size() > 1);
  }

  TEST_CASE("a count and a capture of the same calls do not disturb each other") {
    const at::Tensor x = at::ones({3, 3});
    const auto compute = [](const at::Tensor& tensor) { return at::relu(at::mm(tensor, tensor) + 1); };
    const ir::Graph alone = captured(x, compute).graph;
    const FlopCount count = countFlops([&] { compute(x); });
    ir::Graph graph;
    FlopCount inside;
    CHECK(countFlops([&] { graph = captured(x, compute).graph; }) == count);
    CHECK(graph == alone);
    graph = captured(x, [&](const at::Tensor& tensor) {
              at::Tensor result;
              inside = countFlops([&] { result = compute(tensor); });
              return result;
            }).graph;
    CHECK(graph == alone);
    CHECK(inside == count);
  }

  TEST_CASE("sessions of two threads see their own calls") {
    const at::Tensor x = at::ones({3, 3});
    Listener here(Inner::Unseen), there(Inner::Unseen);
    const Interception interception(here);
    std::thread([&] {
      const Interception other(there);
      at::relu(x);
    }).join();
    at::neg(x);
    CHECK(here.ops == Ops{"aten::neg"});
    CHECK(there.ops == Ops{"aten::relu"});
  }

  TEST_CASE("backward passes stay on the thread, through what leaves inference mode") {
    const bool before = takesThreads();
    {
      const OneThread thread;
      CHECK_FALSE(takesThreads());
      {
        const c10::InferenceMode inference;
        const ProgramMode mode(true);
        CHECK_FALSE(takesThreads());
        CHECK(at::GradMode::is_enabled());
      }
      CHECK_FALSE(takesThreads());
    }
    CHECK(takesThreads() == before);
    const ProgramMode mode(true);
    CHECK(takesThreads());
  }

  TEST_CASE("a step that is captured in a CUDA graph has its backward pass on its thread; one that is not, as users have it") {
    for (const bool isCaptured : {false, true}) {
      const c10::InferenceMode inference;  // as trials run it
      bool during = isCaptured;
      const CallablePtr callable = stepCallable(
          "f", {"forward"}, at::kCPU,
          [&](const std::function<void()>&) {
            const ProgramMode mode(true);
            during = takesThreads();
            return std::vector<at::Tensor>();
          },
          isCaptured);
      (*callable)();
      CHECK(during == !isCaptured);
    }
  }

  TEST_CASE("calls of another thread that took over this one's state are refused by the operator's name") {
    const std::string message = tests::refusal(ir::ErrorKind::Unsupported, [] {
      captured(at::ones({2}), [](const at::Tensor& tensor) {
        std::exception_ptr thrown;
        const at::ThreadLocalState state;
        std::thread([&] {
          const at::ThreadLocalStateGuard guard(state);  // as autograd's threads do
          try {
            at::relu(tensor);
          } catch (...) {
            thrown = std::current_exception();
          }
        }).join();
        if (thrown) std::rethrow_exception(thrown);
        return tensor;
      });
    });
    CHECK(message == "aten::relu: calls of a step are followed on one thread, and its backward pass takes another one");
  }

  TEST_CASE("a backward pass that may take threads is refused, on whatever device, and leaves the thread as it was") {
    const at::Tensor x = at::ones({2}).set_requires_grad(true);
    const auto backward = [](const at::Tensor& tensor) {
      const c10::InferenceMode normal(false);  // forgets that one thread is asked for
      (tensor * tensor).sum().backward();
      return tensor.grad();
    };
    const std::string message = tests::refusal(ir::ErrorKind::Unsupported, [&] { captured(x, backward); });
    CHECK(message.find("followed on one thread") != std::string::npos);
    CHECK(message.starts_with("aten::"));
    const auto inProgramMode = [](const at::Tensor& tensor) {
      const ProgramMode mode(true);
      (tensor * tensor).sum().backward();
      return tensor.grad();
    };
    CHECK(captured(x, inProgramMode).graph.nodes.size() > 3);
  }
}
