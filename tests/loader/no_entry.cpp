// A shared library that has the CUDA library's name and nothing of its contents.
extern "C" __attribute__((visibility("default"))) int unrelated_function() { return 0; }
