#include "runtime/build/orc.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <atomic>
#include <chrono>
#include <mutex>

#include "ir/error.h"
#include "ir/routines/routines.h"
#include "runtime/build/elapsed.h"

namespace runtime {
namespace {

/// What is run on the printed code, which is in loops and vectors already: local arrays become registers (once their offsets
/// are constants), duplicates go, invariants leave the loops.
constexpr const char* passes = "early-cse,sroa,early-cse,loop-mssa(licm)";

void require(llvm::Error error, std::string_view what) {
  if (error) ir::fail(ir::ErrorKind::Toolchain, "{}: {}", what, llvm::toString(std::move(error)));
}
template <typename T>
T require(llvm::Expected<T> value, std::string_view what) {
  require(value.takeError(), what);
  return std::move(*value);
}

std::unique_ptr<llvm::TargetMachine> targetMachine(const ir::KernelSource& program) {
  const std::string triple = llvm::sys::getProcessTriple();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) ir::fail(ir::ErrorKind::Toolchain, "llvm cannot compile for {}: {}", triple, error);
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, program.arch, program.features, {}, llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default,
      /*JIT=*/true));
}

std::unique_ptr<llvm::Module> parsed(const ir::KernelSource& program, llvm::TargetMachine& machine, llvm::LLVMContext& context) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(program.source, diagnostic, context);
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (module == nullptr) diagnostic.print("", stream, false);
  if (module == nullptr || llvm::verifyModule(*module, &stream))
    ir::fail(ir::ErrorKind::Toolchain, "llvm refuses kernel {}: {}", program.name, problem);
  module->setTargetTriple(machine.getTargetTriple().str());
  module->setDataLayout(machine.createDataLayout());
  return module;
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager pipeline;
  require(builder.parsePassPipeline(pipeline, passes), "llvm has no such passes");
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) pipeline.run(function, functions);
}

/// The program as an object or as assembly.
llvm::SmallVector<char, 0> generate(const ir::KernelSource& program, llvm::CodeGenFileType type) {
  const std::unique_ptr<llvm::TargetMachine> machine = targetMachine(program);
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = parsed(program, *machine, context);
  optimize(*module, *machine);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager emit;
  if (machine->addPassesToEmitFile(emit, stream, nullptr, type))
    ir::fail(ir::ErrorKind::Toolchain, "llvm cannot emit code for {}", program.arch);
  emit.run(*module);
  return bytes;
}

std::string cacheKey(const ir::KernelSource& program) {
  return fmt::format("llvm {}\n{}\n{}\n{}\n{}", Orc::version(), passes, program.arch, program.features, program.source);
}

/// The linker and what it linked; code refers to libm, libmvec and ir/routines only.
class Session {
 public:
  Session()
      : session_(require(llvm::orc::SelfExecutorProcessControl::Create(), "llvm's linker")),
        linker_(session_),
        libraries_(session_.createBareJITDylib("libraries")) {
    session_.setErrorReporter([this](llvm::Error error) {
      const std::lock_guard lock(mutex_);
      problems_ += llvm::toString(std::move(error)) + "; ";
    });
    for (const char* name : {"libm.so.6", "libmvec.so.1", "libc.so.6"})
      libraries_.addGenerator(require(llvm::orc::DynamicLibrarySearchGenerator::Load(name, '\0'), name));
    llvm::orc::SymbolMap routines;
#define ROUTINE(name, symbol)                                                                                                  \
  routines[session_.intern(#symbol)] = {llvm::orc::ExecutorAddr::fromPtr(static_cast<double (*)(double, double)>(ir::symbol)), \
                                        llvm::JITSymbolFlags::Exported};
#include "ir/ops.def"
    llvm::cantFail(libraries_.define(llvm::orc::absoluteSymbols(std::move(routines))));
  }
  ~Session() { llvm::cantFail(session_.endSession()); }

  /// A library of its own for each object, so that names never meet.
  std::pair<llvm::orc::JITDylib*, HostFunction> link(const std::string& symbol, std::unique_ptr<llvm::MemoryBuffer> object) {
    llvm::orc::JITDylib& library = session_.createBareJITDylib(fmt::format("kernel{}", count_++));
    library.addToLinkOrder(libraries_);
    llvm::Expected<llvm::orc::ExecutorSymbolDef> found = add(library, symbol, std::move(object));
    if (!found) refuse(library, symbol, found.takeError());
    return {&library, found->getAddress().toPtr<HostFunction>()};
  }
  void drop(llvm::orc::JITDylib& library) { llvm::cantFail(session_.removeJITDylib(library)); }

 private:
  llvm::Expected<llvm::orc::ExecutorSymbolDef> add(llvm::orc::JITDylib& library, const std::string& symbol,
                                                   std::unique_ptr<llvm::MemoryBuffer> object) {
    if (llvm::Error error = linker_.add(library, std::move(object))) return error;
    return session_.lookup({&library}, session_.intern(symbol));
  }

  /// The cause of a failed link is told to the session's reporter, the error itself only names the symbol.
  [[noreturn]] void refuse(llvm::orc::JITDylib& library, const std::string& symbol, llvm::Error error) {
    llvm::cantFail(session_.removeJITDylib(library));
    const std::lock_guard lock(mutex_);
    const std::string problem = std::exchange(problems_, "") + llvm::toString(std::move(error));
    ir::fail(ir::ErrorKind::Toolchain, "llvm cannot link kernel {}: {}", symbol, problem);
  }

  std::mutex mutex_;
  std::string problems_;
  llvm::orc::ExecutionSession session_;
  llvm::orc::ObjectLinkingLayer linker_;
  llvm::orc::JITDylib& libraries_;
  std::atomic<int> count_{0};
};

}  // namespace

struct Orc::State {
  std::shared_ptr<Session> session = std::make_shared<Session>();

  HostCode link(const std::string& symbol, std::unique_ptr<llvm::MemoryBuffer> object) const {
    const auto [library, function] = session->link(symbol, std::move(object));
    return {function, 0, false,
            std::shared_ptr<void>(library, [session = session](llvm::orc::JITDylib* x) { session->drop(*x); })};
  }
};

Orc::Orc() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  state_ = std::make_unique<State>();
}
Orc::~Orc() = default;

std::string Orc::version() { return LLVM_VERSION_STRING; }

HostCode Orc::compile(const ir::KernelSource& program, const Cache& cache) {
  const auto start = std::chrono::steady_clock::now();
  const std::string key = cacheKey(program);
  HostCode code;
  if (const std::optional<std::string> object = cache.find(key)) {
    code = state_->link(program.name, llvm::MemoryBuffer::getMemBufferCopy(*object, program.name));
    code.cached = true;
  } else {
    llvm::SmallVector<char, 0> made = generate(program, llvm::CodeGenFileType::ObjectFile);
    cache.put(key, {made.data(), made.size()});
    code = state_->link(program.name, std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(made), program.name, false));
  }
  code.compileMs = millisecondsSince(start);
  return code;
}

std::string Orc::assembly(const ir::KernelSource& program) {
  const llvm::SmallVector<char, 0> text = generate(program, llvm::CodeGenFileType::AssemblyFile);
  return {text.data(), text.size()};
}

}  // namespace runtime
