// MANIFEST, and the right to look at it and to edit it, which one thread has at a time: the flusher
// or the compactor, after opening. It is held for a sync, never while a segment is written, and the
// committer never asks for it.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "manifest/manifest.h"

namespace seriesdb {

class ManifestHolder {
 public:
  // The right. What is reached through it must not outlive it, so one without a name gives nothing,
  // as a PinnedView does.
  class Held {
   public:
    Manifest* operator->() const& { return manifest_; }
    Manifest* operator->() const&& = delete;

   private:
    friend class ManifestHolder;
    Held(std::mutex& mutex, Manifest* manifest) : lock_(mutex), manifest_(manifest) {}

    std::unique_lock<std::mutex> lock_;
    Manifest* manifest_;
  };

  void set(std::unique_ptr<Manifest> manifest) { manifest_ = std::move(manifest); }
  // Waits for who has it. REQUIRES: set() before.
  Held hold() { return Held(mutex_, manifest_.get()); }

 private:
  std::mutex mutex_;
  std::unique_ptr<Manifest> manifest_;
};

}  // namespace seriesdb
