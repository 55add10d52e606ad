-- The table as it was: before and after its first compaction, and now. A time may be an instant, a date, or RFC 3339.
SELECT 'first write' AS "as of", count(*) AS trips, sum(fare) AS fares FROM read_hudi('../../testdata/trips', as_of := '20261130023040954')
UNION ALL SELECT 'compaction', count(*), sum(fare) FROM 'hudi:../../testdata/trips?as_of=20261130023106494'
UNION ALL SELECT 'now', count(*), sum(fare) FROM trips;
