// What the sanitizers do in every fuzz target, unless ASAN_OPTIONS says otherwise. Each exception makes AddressSanitizer search
// its stack of frames that were left: a small one makes targets up to four times faster, and still finds their uses. The
// quarantine need last for one input. libFuzzer has a word of its own for leaks, whose search would be most of the time.
extern "C" const char* __asan_default_options() { return "detect_leaks=0:max_uar_stack_size_log=16:quarantine_size_mb=16"; }
