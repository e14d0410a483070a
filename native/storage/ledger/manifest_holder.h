// The ledger, and the right to look at it and to edit it, which one thread has at a time: the
// flusher or the compactor, after opening. It is held for syncs, never while a segment is written,
// and the committer never asks for it.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "storage/ledger/ledger.h"

namespace seriesdb {

class ManifestHolder {
 public:
  // The right. What is reached through it must not outlive it, so one without a name gives nothing,
  // as a PinnedView does.
  class Held {
   public:
    Ledger* operator->() const& { return ledger_; }
    Ledger* operator->() const&& = delete;

   private:
    friend class ManifestHolder;
    Held(std::mutex& mutex, Ledger* ledger) : lock_(mutex), ledger_(ledger) {}

    std::unique_lock<std::mutex> lock_;
    Ledger* ledger_;
  };

  void set(std::unique_ptr<Ledger> ledger) { ledger_ = std::move(ledger); }
  // Waits for who has it. REQUIRES: set() before.
  Held hold() { return Held(mutex_, ledger_.get()); }

 private:
  std::mutex mutex_;
  std::unique_ptr<Ledger> ledger_;
};

}  // namespace seriesdb
