# Flags, launcher and linker for everything that is ours.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release (no debug information: small and quick to build) or Debug" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")

# -fPIC everywhere, executables included, so that all targets can share one precompiled header.
add_compile_options(-fPIC -Wall -Wextra -Werror=switch -ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections)
if(OPBENCH_ASAN)
  # Not vptr: it asks for type information that libtorch keeps to itself.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined)
endif()

# What is compiled depends on no folder: of files in the checkout the compiler is told, and tells, the way from its root. So the cache
# serves every checkout of a user's, and programs hold no path of the machine that built them.
add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.")
# A precompiled header is seen by the cache through these two exemptions (ccache's manual, "Precompiled headers"). What a file includes
# is known from the compiler's own list of it (CCACHE_DEPEND), so that nothing is read by the preprocessor first.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_BASEDIR=${CMAKE_SOURCE_DIR};CCACHE_NOHASHDIR=1;CCACHE_DEPEND=1;CCACHE_SLOPPINESS=pch_defines,time_macros;${CCACHE}")
endif()
# g++ looks for memory to use again from half a gigabyte on, not from a few megabytes: a tenth of its time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("SHELL:--param ggc-min-heapsize=524288")
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()
