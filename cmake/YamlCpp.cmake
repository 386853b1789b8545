# opbench::yaml_cpp, the shared library: Debian's archive is not made to be part of one. A bundle brings it along, as its version
# differs from one distribution to the next.
find_path(YAML_CPP_INCLUDE yaml-cpp/yaml.h REQUIRED)
find_library(YAML_CPP_LIBRARY libyaml-cpp.so REQUIRED)
add_library(opbench_yaml_cpp INTERFACE)
target_include_directories(opbench_yaml_cpp SYSTEM INTERFACE "${YAML_CPP_INCLUDE}")
target_link_libraries(opbench_yaml_cpp INTERFACE "${YAML_CPP_LIBRARY}")
add_library(opbench::yaml_cpp ALIAS opbench_yaml_cpp)
