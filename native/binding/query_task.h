// A call that reads much: `work` runs on a query thread, its text is given on the JavaScript
// thread.
#pragma once

#include <napi.h>

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "binding/session.h"

namespace seriesdb {

// The promise of the text that `work` makes. REQUIRES: the session is not closed.
Napi::Value runQuery(Napi::Env env, const std::shared_ptr<Session>& session,
                     std::function<Result<std::string>(Engine&)> work);

}  // namespace seriesdb
