// Lists of labels, each with known lines of its own, of which the latest stay.
#include "intake/known_lines.h"

#include "engine/engine_fixture.h"
#include "intake/ingest_request.h"

using namespace seriesdb;
using namespace seriesdb::test;

namespace {

OwnedLabels tenant(int number) { return {{"tenant", std::to_string(number)}}; }

std::unique_ptr<IngestRequest> begin(Database& database, KnownLines& lines, OwnedLabels labels) {
  return IngestRequest::begin(database.engine(), lines,
                              {TimestampUnit::kMilliseconds, false, std::move(labels)})
      .value();
}

void commit(IngestRequest& request) {
  std::promise<Status> answer;
  request.commit([&answer](const Result<IngestReport>& report) {
    answer.set_value(report.status());
  });
  CHECK(answer.get_future().get().ok());
}

TEST("a list of labels has one state, and the ninth takes the place of the one used longest ago") {
  Database database;
  REQUIRE(database.open().ok());
  KnownLines lines(database.engine());
  EXPECT(lines.of({}) == lines.of({}));
  std::vector<std::shared_ptr<ParserState>> states;
  for (int i = 0; i < 8; ++i) states.push_back(lines.of(tenant(i)));
  for (int i = 0; i < 8; ++i) EXPECT(lines.of(tenant(i)) == states[static_cast<std::size_t>(i)]);
  EXPECT(lines.of(tenant(0)) == states[0] && states[0] != lines.of({}));
  // 1 is the one that was used longest ago.
  lines.of(tenant(8));
  for (const int kept : {0, 2, 7}) {
    EXPECT(lines.of(tenant(kept)) == states[static_cast<std::size_t>(kept)]);
  }
  EXPECT(lines.of(tenant(1)) != states[1]);
}

TEST("a line means what its labels say, known or not, also after its list was forgotten") {
  Database database;
  REQUIRE(database.open().ok());
  {
    KnownLines lines(database.engine());
    for (Timestamp ts = 0; ts < 3; ++ts) {
      std::vector<std::unique_ptr<IngestRequest>> open;
      for (int i = 0; i < 12; ++i) open.push_back(begin(database, lines, tenant(i)));
      for (const auto& request : open) {
        const std::string text = line("m", ts, static_cast<double>(ts)) + line("m", ts + 100, 1);
        REQUIRE(request->write(asBytes(text), UINT64_MAX).ok());
      }
      for (const auto& request : open) commit(*request);
    }
  }
  for (int i = 0; i < 12; ++i) {
    Selector selector;
    selector.name = "m";
    selector.required = tenant(i);
    const auto ref = selectSeries(*database.index(), selector);
    REQUIRE(ref.ok() && ref.value().has_value());
    EXPECT(database.index()->boundsOf(*ref.value())->end == 102);
    const SeriesDefinition series = database.index()->definition(*ref.value());
    EXPECT(series.labels == tenant(i));
  }
  EXPECT(database.index()->visibleCount() == 12);
}

}  // namespace
