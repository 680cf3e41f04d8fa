// A CUDA library of another version: the version is what the loader reads first, and all that it may read.
namespace {

struct Module {
  const char* version;
};

const Module module{"0.0.1"};

}  // namespace

extern "C" __attribute__((visibility("default"))) const Module* tilelearn_cuda_module() { return &module; }
