-- One partition and a range of fares: the other partitions are not opened.
SELECT trip_id, ts, rider, fare FROM trips WHERE city = 'osaka' AND fare > 30 ORDER BY fare DESC, trip_id LIMIT 5;
