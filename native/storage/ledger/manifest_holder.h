// Owns the ledger and grants access to it, to one thread at a time: the flusher or the compactor,
// after opening. A holder may wait for syncs, but never writes a segment meanwhile. The committer
// never asks for access.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "common/base/lock_order.h"
#include "storage/ledger/ledger.h"

namespace seriesdb {

class ManifestHolder {
  using Mutex = OrderedMutex<LockRank::kManifest>;

 public:
  // The access. It ends with this object. Temporaries cannot be dereferenced, as with PinnedView.
  class Held {
   public:
    Ledger* operator->() const& { return ledger_; }
    Ledger* operator->() const&& = delete;

   private:
    friend class ManifestHolder;
    Held(Mutex& mutex, Ledger* ledger) : lock_(mutex), ledger_(ledger) {}

    std::unique_lock<Mutex> lock_;
    Ledger* ledger_;
  };

  void set(std::unique_ptr<Ledger> ledger) { ledger_ = std::move(ledger); }
  // Waits for the current holder. REQUIRES: an earlier set().
  Held hold() { return Held(mutex_, ledger_.get()); }

 private:
  Mutex mutex_;
  std::unique_ptr<Ledger> ledger_;
};

}  // namespace seriesdb
