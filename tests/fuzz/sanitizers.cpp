// What the sanitizers do in every fuzz target, unless ASAN_OPTIONS says otherwise. Each exception makes AddressSanitizer search
// its stack of frames that were left: a small one makes targets up to four times faster, and still finds their uses. The
// quarantine need last for one input. Of an allocation's stack the caller is kept, which takes no unwinding; whoever wants more
// runs the input that was found with malloc_context_size=30. One allocation of more than 1 GiB is a finding. Leaks would be
// searched for after each input that allocates more often than it frees, which would be most of the time.
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0:max_uar_stack_size_log=16:quarantine_size_mb=16:malloc_context_size=2:max_allocation_size_mb=1024";
}
