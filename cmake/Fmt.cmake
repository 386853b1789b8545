# opbench::fmt: the system's fmt headers with a static library of our own (see fmt.cpp).
option(OPBENCH_FMT_HEADER_ONLY "Use fmt as headers only: any version, slower to build" OFF)
find_package(fmt REQUIRED)
find_path(FMT_INCLUDE fmt/format.h REQUIRED)
if(OPBENCH_FMT_HEADER_ONLY OR fmt_VERSION VERSION_LESS 9 OR fmt_VERSION VERSION_GREATER_EQUAL 10)
  add_library(opbench::fmt ALIAS fmt::fmt-header-only)
else()
  add_library(opbench_fmt STATIC "${CMAKE_SOURCE_DIR}/cmake/fmt.cpp")
  add_library(opbench::fmt ALIAS opbench_fmt)
endif()

# LibTorch's include folder holds another fmt: ours is named first, everywhere, so that one program never sees two.
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/include")
file(CREATE_LINK "${FMT_INCLUDE}/fmt" "${CMAKE_BINARY_DIR}/include/fmt" SYMBOLIC)
include_directories(BEFORE "${CMAKE_BINARY_DIR}/include")
