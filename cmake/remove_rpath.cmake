# cmake -DFILE=program -P remove_rpath.cmake: a program that is moved to another machine names no folder of this one.
file(RPATH_REMOVE FILE "${FILE}")
