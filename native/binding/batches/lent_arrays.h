// Arrays of JavaScript that are read after the call that was given them: they are not collected
// before free(), or the environment ends.
#pragma once

#include <napi.h>

#include <vector>

namespace seriesdb {

class LentArrays {
 public:
  void keep(const Napi::Value& array) {
    napi_ref reference = nullptr;
    if (napi_create_reference(array.Env(), array, 1, &reference) == napi_ok) {
      references_.push_back(reference);
    }
  }
  // On the JavaScript thread, which is why no destructor does it.
  void free(Napi::Env env) {
    for (napi_ref reference : references_) napi_delete_reference(env, reference);
    references_.clear();
  }

 private:
  std::vector<napi_ref> references_;
};

}  // namespace seriesdb
