-- What reading a table's folder as Parquet files gets wrong: old versions of files count again, updates and deletes in
-- logs do not count at all.
SELECT 'read_parquet of the folder' AS read, count(*) AS rows, count(DISTINCT trip_id) AS trips, sum(fare) AS fares
FROM read_parquet('../../testdata/trips/*/*.parquet')
UNION ALL SELECT 'the live base files', count(*), count(DISTINCT trip_id), sum(fare) FROM 'hudi:../../testdata/trips?query_type=read_optimized'
UNION ALL SELECT 'the table', count(*), count(DISTINCT trip_id), sum(fare) FROM trips;
