-- What the last write did: rows as they are now (I, U), or as they were before they were deleted (D).
SELECT _hoodie_operation AS op, trip_id, city, fare, status
FROM hudi_changes('../../testdata/trips', '20261130023128825', NULL) ORDER BY op, trip_id LIMIT 8;
