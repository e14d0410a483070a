// JavaScript arrays that are read after the call that passed them. They are protected from
// collection until free(), or until the environment ends.
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
  // Call on the JavaScript thread; a destructor might run on another one.
  void free(Napi::Env env) {
    for (napi_ref reference : references_) napi_delete_reference(env, reference);
    references_.clear();
  }

 private:
  std::vector<napi_ref> references_;
};

}  // namespace seriesdb
