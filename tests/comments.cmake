# cmake -DROOT=source -P comments.cmake: comments name their subject, and do not point at it with `those of` or `of what`, which
# has to be read twice. Prints every offence. tests/comments_planted.cmake plants some and expects them to be found.

cmake_minimum_required(VERSION 3.25)

set(blank "[ \t\n/<]+")  # the words may stand on two lines of a comment
set(pointers "[Tt]hose${blank}(of|that|with|in|whose)|[Tt]hat${blank}of|of${blank}what|that${blank}which")
set(pointer "(^|[^A-Za-z0-9_])(${pointers})([^A-Za-z0-9_]|$)")

file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/ir/*" "${ROOT}/lowering/*" "${ROOT}/codegen/*" "${ROOT}/inputs/*"
     "${ROOT}/runtime/*" "${ROOT}/opbench/*")
list(FILTER files INCLUDE REGEX "\\.(h|cpp)$")
if(NOT files)
  message(FATAL_ERROR "no sources in ${ROOT}")
endif()

set(offences "")
foreach(file IN LISTS files)
  file(READ "${ROOT}/${file}" text)
  if(NOT text MATCHES "${pointer}")
    continue()
  endif()
  # Lines as a list, without the characters that mean something in one.
  string(REGEX REPLACE "[][;\\]" " " text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(number 0)
  set(before "")  # the last word of the comment on the line before
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    if(NOT line MATCHES "//[/<]*[ \t]*(.*)$")
      set(before "")
      continue()
    endif()
    set(comment "${CMAKE_MATCH_1}")
    string(STRIP "${before} ${comment}" comment)
    if(comment MATCHES "${pointer}")
      string(APPEND offences "  ${file}:${number}: the comment begins with no noun: ${comment}\n")
    endif()
    string(REGEX REPLACE "^.* " "" before "${comment}")
  endforeach()
endforeach()
if(offences)
  message(FATAL_ERROR "comments that do not name their subject:\n${offences}")
endif()
