// A store, its session and files in memory, for tests of what goes on above a store.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "bucket/bucket_fixture.h"
#include "bucket/claim.h"
#include "bucket/store_session.h"
#include "common/file/file_system.h"

namespace seriesdb::test {

struct SessionFixture {
  MemoryStore store;
  TestPauser pauser;
  StoreSession session{store, pauser, 1};

  void put(const std::string& key, Bytes bytes) {
    store.objects()[key].assign(bytes.begin(), bytes.end());
  }
};

// A file that owns its bytes.
class BytesFile final : public ReadableFile {
 public:
  explicit BytesFile(ByteBuffer bytes) : bytes_(std::move(bytes)) {}

  std::uint64_t size() const override { return bytes_.size(); }
  Bytes mapped() const override { return {}; }
  bool isMappingLost() const override { return false; }
  Status read(std::uint64_t offset, std::span<std::uint8_t> to) const override {
    const auto from = Bytes(bytes_).subspan(static_cast<std::size_t>(offset), to.size());
    std::ranges::copy(from, to.begin());
    return {};
  }

 private:
  const ByteBuffer bytes_;
};

inline ByteBuffer patternOf(std::size_t size, std::uint8_t seed = 1) {
  ByteBuffer bytes(size);
  std::uint32_t state = seed;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

inline SpineOwner ownerOf(std::uint8_t nonce) {
  SpineOwner owner;
  owner.database = {1, 2, 3};
  owner.nonce = {nonce};
  owner.node = "node-" + std::to_string(nonce);
  owner.knownToRead = 28;
  owner.knownToWrite = 1;
  return owner;
}

inline PublishedState stateOf(std::uint64_t edit) {
  PublishedState state;
  state.featuresToRead = 28;
  state.featuresToWrite = 1;
  state.edit = edit;
  state.headCommit = sha256(asBytes("head " + std::to_string(edit)));
  state.flushedSequence = 10 * edit;
  state.parts = {{edit, sha256(asBytes("part " + std::to_string(edit)))}};
  return state;
}

// An owner as a process has it.
struct OwnerProcess {
  OwnerProcess(SessionFixture& fixture, std::uint8_t nonce)
      : chains(fixture.store, fixture.pauser, nonce),
        claim(fixture.session, chains, ownerOf(nonce)) {}

  CreateChains chains;
  Claim claim;
};

}  // namespace seriesdb::test
