-- What a city's trips bring, the newest version of each trip.
SELECT city, count(*) AS trips, sum(fare) AS fares, round(avg(distance_km), 2) AS km
FROM trips GROUP BY city ORDER BY fares DESC;
