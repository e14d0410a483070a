// Operations of the HTTP server on sockets below Node.js, by file descriptor.
#pragma once

#include <napi.h>

namespace seriesdb {

// copyDescriptor(descriptor): number.
Napi::Value copyDescriptor(const Napi::CallbackInfo& info);

// sendNow(descriptor, text, body): number.
Napi::Value sendNow(const Napi::CallbackInfo& info);

// unconfirmedBytes(descriptor): number.
Napi::Value unconfirmedBytes(const Napi::CallbackInfo& info);

}  // namespace seriesdb
