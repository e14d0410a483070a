// Uploads of files: in one piece, in parts, with every request lost once.
#include "bucket/upload.h"

#include "bucket/session_fixture.h"
#include "harness.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

constexpr UploadSizes kSmallSizes{100, 40};

Status upload(SessionFixture& fixture, const ByteBuffer& bytes, const Sha256& hash) {
  const BytesFile file(bytes);
  ObjectUpload upload(fixture.session, file, {"objects/x", hash, kSmallSizes});
  while (!upload.isDone()) {
    if (Status sent = upload.next(); !sent.ok()) return sent;
  }
  EXPECT(upload.sentBytes() == bytes.size());
  return {};
}

}  // namespace

TEST("files of every size arrive, in parts beyond the limit of one put") {
  for (const std::size_t size : {0, 1, 99, 100, 101, 120, 121, 1000}) {
    SessionFixture fixture;
    const ByteBuffer bytes = patternOf(size);
    REQUIRE(upload(fixture, bytes, sha256(bytes)).ok());
    EXPECT(fixture.store.objects()["objects/x"] == bytes);
    EXPECT(fixture.store.count(StoreOp::kPut) == (size > 100 ? 0 : 1));
    EXPECT(fixture.store.count(StoreOp::kPutPart) == (size > 100 ? (size + 39) / 40 : 0));
    EXPECT(fixture.store.uploadCount() == 0);
  }
}

TEST("a file with another hash is damage, and nothing of it stays") {
  for (const std::size_t size : {50, 500}) {
    SessionFixture fixture;
    EXPECT(upload(fixture, patternOf(size), sha256({})).code() == StatusCode::kStorageCorrupt);
    EXPECT(fixture.store.objects().empty());
    EXPECT(fixture.store.uploadCount() == 0);
  }
}

TEST("each request of an upload may be lost, answered too late, or refused") {
  const ByteBuffer bytes = patternOf(130);
  for (const StoreFate fate : {StoreFate::kLoseAnswer, StoreFate::kLoseRequest, StoreFate::kDelay,
                               StoreFate::kUnavailable}) {
    for (int nth = 0; nth < 8; ++nth) {
      SessionFixture fixture;
      int at = 0;
      fixture.store.follow(
          [&](const StoreRequest&) { return at++ == nth ? fate : StoreFate::kPlain; });
      REQUIRE(upload(fixture, bytes, sha256(bytes)).ok());
      while (fixture.store.delayedCount() > 0) fixture.store.land(0);
      EXPECT(fixture.store.objects()["objects/x"] == bytes);
    }
  }
}

TEST("an upload that fails is dropped, if the store answers then") {
  SessionFixture fixture;
  fixture.store.follow([](const StoreRequest& request) {
    return request.op == StoreOp::kEndUpload ? StoreFate::kUnavailable : StoreFate::kPlain;
  });
  const ByteBuffer bytes = patternOf(500);
  EXPECT(upload(fixture, bytes, sha256(bytes)).code() == StatusCode::kStorageUnavailable);
  EXPECT(fixture.store.objects().empty());
  EXPECT(fixture.store.uploadCount() == 0);
}
