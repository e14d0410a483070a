// Required labels of a request: they apply to known lines too.
#include "storage/intake/ingest_request.h"

#include "storage/engine/engine_fixture.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

OwnedLabels tenant(int number) { return {{"tenant", std::to_string(number)}}; }

std::unique_ptr<IngestRequest> begin(Database& database, ParserState& lines, OwnedLabels required) {
  IngestRequest::Form form;
  form.options.required = std::move(required);
  return IngestRequest::begin(database.engine(), lines, form).value();
}

void commit(IngestRequest& request) {
  std::promise<Status> answer;
  request.commit(
      [&answer](const Result<IngestReport>& report) { answer.set_value(report.status()); });
  CHECK(answer.get_future().get().ok());
}

// More label lists than the cache of known lines holds, interleaved.
TEST("each of many interleaved requests stores its own required labels") {
  constexpr int kTenants = 80;
  Database database;
  REQUIRE(database.open().ok());
  {
    const auto lines = makeKnownLines(database.engine());
    for (Timestamp ts = 0; ts < 3; ++ts) {
      std::vector<std::unique_ptr<IngestRequest>> open;
      for (int i = 0; i < kTenants; ++i) open.push_back(begin(database, *lines, tenant(i)));
      for (const Timestamp later : {0, 100}) {
        for (const auto& request : open) {
          const std::string text = line("m", ts + later, static_cast<double>(ts));
          REQUIRE(request->write(asBytes(text), UINT64_MAX).ok());
        }
      }
      for (const auto& request : open) commit(*request);
    }
  }
  for (int i = 0; i < kTenants; ++i) {
    Selector selector;
    selector.name = "m";
    selector.required = tenant(i);
    const auto ref = selectSeries(*database.index(), selector);
    REQUIRE(ref.ok() && ref.value().has_value());
    EXPECT(database.index()->boundsOf(*ref.value())->end == 102);
    EXPECT(database.index()->definition(*ref.value()).labels == tenant(i));
  }
  EXPECT(database.index()->visibleCount() == kTenants);
}

TEST("control characters in a label do not let a line match another request's cached lines") {
  Database database;
  REQUIRE(database.open().ok());
  const auto lines = makeKnownLines(database.engine());
  const auto write = [&](const std::string& bucket, OwnedLabels required) {
    IngestRequest::Form form;
    form.options.required = std::move(required);
    form.format = BodyFormat::kLineProtocol;
    form.options.labels = {{"db", bucket}};
    const auto request = IngestRequest::begin(database.engine(), *lines, form).value();
    REQUIRE(request->write(asBytes("m value=1 1\n"), UINT64_MAX).ok());
    commit(*request);
  };
  const std::string odd = std::string("x\1tenant\1") + "0";
  // Lines are known from the second time on.
  for (int round = 0; round < 3; ++round) write(odd, {});
  write("x", tenant(0));
  const auto has = [&](const std::vector<Label>& labels) {
    return database.index()->findExact("m", labels).has_value();
  };
  EXPECT(database.index()->visibleCount() == 2);
  EXPECT(has({{"db", odd}}) && has({{"db", "x"}, {"tenant", "0"}}));
}

}  // namespace
