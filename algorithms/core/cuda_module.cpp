// Opens libtilelearn_cuda.so, once, from the folder that holds this library, else by the loader's own search.
#include "core/cuda_module.hpp"

#include <cstring>
#include <filesystem>
#include <mutex>

#include <dlfcn.h>

namespace tilelearn::detail {

namespace {

std::string folder_of_this_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&cuda_module), &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::path(info.dli_fname).parent_path().string();
}

/// The version in the file name keeps two installed versions apart.
const std::string& file_name() {
  static const std::string name = std::string("libtilelearn_cuda.so.") + TILELEARN_VERSION;
  return name;
}

void* open_library() {
  const std::string folder = folder_of_this_library();
  const std::string beside = folder.empty() ? file_name() : folder + "/" + file_name();
  if (void* handle = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  const std::string first_error = dlerror();
  if (void* handle = dlopen(file_name().c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  throw DeviceUnavailable("no CUDA device: the CUDA library of tilelearn cannot be opened (" + first_error + ")");
}

const CudaModule* load() {
  void* handle = open_library();
  using Entry = const CudaModule* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, "tilelearn_cuda_module"));
  if (entry == nullptr) throw DeviceUnavailable("no CUDA device: " + file_name() + " is not a tilelearn library");
  const CudaModule* module = entry();
  if (std::strcmp(module->version, TILELEARN_VERSION) != 0)
    throw DeviceUnavailable("no CUDA device: " + file_name() + " has version " + module->version + ", needed is " +
                            TILELEARN_VERSION);
  return module;
}

}  // namespace

const CudaModule& cuda_module() {
  // A failure is not remembered as success: a later call tries again and explains again.
  static const CudaModule* module = nullptr;
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (module == nullptr) module = load();
  return *module;
}

}  // namespace tilelearn::detail
