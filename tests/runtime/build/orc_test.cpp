// The just-in-time compiler: what it is given and gives back.
#include "runtime/build/orc.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "ir/error.h"
#include "tests/cache_settings.h"
#include "tests/runtime/cpu_kernel.h"

namespace {

namespace fs = std::filesystem;

/// A kernel of one element that stores what it loads plus `addend`.
ir::KernelSource adding(double addend, const std::string& name = "adding") {
  ir::Kernel kernel = tests::pointwiseKernel({ir::DType::F32}, 1, 1, [&](ir::ExprPool& pool, const auto& loads) {
    return std::vector{pool.make(ir::Op::Add, {loads[0], pool.constant(ir::DType::F32, addend)})};
  });
  kernel.name = name;
  return codegen::emitLlvm(kernel, runtime::Orc::host(1));
}

float call(const runtime::HostCode& code, float x) {
  float result = 0;
  void* pointers[] = {&x, &result};
  code.function(pointers, 0, 1);
  return result;
}

/// A folder that is gone at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / fmt::format("opbench_orc_test_{}", getpid());
  ~Folder() { fs::remove_all(path); }
};

}  // namespace

TEST_CASE("kernels of one name live side by side, and longer than the compiler") {
  runtime::HostCode one;
  {
    runtime::Orc orc;
    one = orc.compile(adding(1), runtime::Cache());
    const runtime::HostCode two = orc.compile(adding(2), runtime::Cache());
    CHECK(call(one, 10) == 11);
    CHECK(call(two, 10) == 12);
    CHECK(one.compileMs > 0);
    CHECK(!one.cached);
  }
  CHECK(call(one, 20) == 21);
}

TEST_CASE("code comes from the cache the second time, in any process; a damaged object is compiled again") {
  const Folder folder;
  const runtime::Cache cache(tests::cacheIn(folder.path));
  runtime::Orc orc;
  CHECK(!orc.compile(adding(3), cache).cached);
  const runtime::HostCode again = orc.compile(adding(3), cache);
  CHECK(again.cached);
  CHECK(call(again, 1) == 4);
  CHECK(!orc.compile(adding(4), cache).cached);

  for (const auto& entry : fs::directory_iterator(folder.path / "cache"))
    fs::resize_file(entry.path(), fs::file_size(entry.path()) - 1);
  const runtime::HostCode repaired = orc.compile(adding(3), cache);
  CHECK(!repaired.cached);
  CHECK(call(repaired, 1) == 4);
  CHECK(orc.compile(adding(3), cache).cached);
}

TEST_CASE("code of a cache that was made with another key is not run") {
  const Folder folder;
  runtime::CacheSettings settings = tests::cacheIn(folder.path);
  runtime::Orc orc;
  orc.compile(adding(3), runtime::Cache(settings));
  settings.keyFile = folder.path / "another/cache.key";
  CHECK(!orc.compile(adding(3), runtime::Cache(settings)).cached);
}

TEST_CASE("several threads compile with one compiler") {
  runtime::Orc orc;
  std::vector<float> results(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&, i] { results[i] = call(orc.compile(adding(static_cast<double>(i)), runtime::Cache()), 1); });
  for (std::thread& thread : threads) thread.join();
  CHECK(results == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("what LLVM refuses is a toolchain error with its words") {
  runtime::Orc orc;
  ir::KernelSource program = adding(1);
  const auto messageOf = [&](const std::string& source) {
    program.source = source;
    try {
      orc.compile(program, runtime::Cache());
    } catch (const ir::Error& error) {
      CHECK(error.kind() == ir::ErrorKind::Toolchain);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(messageOf("nonsense").find("llvm refuses kernel adding: <string>:1:1: error: expected top-level entity") == 0);
  CHECK(messageOf("define void @other() { ret void }").find("llvm cannot link kernel adding: ") == 0);
  CHECK(messageOf("declare void @nowhere()\ndefine void @adding() { call void @nowhere() ret void }").find("nowhere") !=
        std::string::npos);
}

TEST_CASE("assembly is the machine code in words") {
  const std::string text = runtime::Orc().assembly(adding(1, "shown"));
  CHECK(text.find("shown:") != std::string::npos);
  CHECK(text.find("addss") != std::string::npos);
}

TEST_CASE("the host is described") {
  const ir::Target host = runtime::Orc::host(3);
  CHECK(host.backend == ir::Backend::Cpu);
  CHECK(!host.arch.empty());
  CHECK(host.processors == 3);
  CHECK((host.vectorBytes == 16 || host.vectorBytes == 32 || host.vectorBytes == 64));
  CHECK(host.cacheBytes >= 1 << 16);
  CHECK(runtime::Orc::version().find("19.") == 0);
}
