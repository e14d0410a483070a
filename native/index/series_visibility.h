// Updates the tables when samples arrive or are deleted: the bounds of series and names, and which
// series are visible. A series is visible while it has samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "index/series_tables.h"

namespace seriesdb {

class SeriesVisibility {
 public:
  // The tables must outlive it.
  explicit SeriesVisibility(SeriesTables& tables) : tables_(tables) {}

  // As the functions of SeriesIndex. They take the lock of the tables.
  void noteSamples(std::span<const SeriesRef> refs, std::span<const Timestamp> ts);
  void noteSamples(SeriesRef ref, Timestamp tsMin, Timestamp tsMax);
  void replaceBounds(std::span<const SeriesRef> refs,
                     std::span<const std::optional<TimeRange>> bounds);
  std::vector<std::uint32_t> beginNameRenewal(std::size_t countMax);
  std::vector<std::optional<TimeRange>> boundsOfNames(std::span<const std::uint32_t> names) const;
  void endNameRenewal(std::span<const std::uint32_t> names,
                      std::span<const std::optional<TimeRange>> bounds);

  // All functions below: REQUIRES the tables' lock, exclusively.
  void publish(SeriesRef ref);
  // Replaces the bounds of one series, which becomes visible or hidden by that.
  void replace(SeriesRef ref, std::optional<TimeRange> after);
  // From here on, adds series that become visible to `published`, until endCollecting(). For the
  // generation being built: only one at a time, and no bounds may be replaced meanwhile.
  void collectPublished(std::vector<SeriesRef>& published);
  void endCollecting() { published_ = nullptr; }

 private:
  void hide(SeriesRef ref);

  SeriesTables& tables_;
  bool isRenewingNames_ = false;  // Used only by the thread that notes samples.
  // Where the generation being built collects series that become visible; null if there is none.
  std::vector<SeriesRef>* published_ = nullptr;
};

}  // namespace seriesdb
