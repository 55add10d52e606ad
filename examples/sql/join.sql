-- Two Hudi tables, the orders of a shop and the trips of a city, joined and grouped like any tables.
SELECT t.city, count(*) AS parcels, sum(o.d) AS paid, round(avg(t.fare), 2) AS fare
FROM orders o JOIN trips t ON right(o.a, 2) = right(t.trip_id, 2) AND t.status = 'done'
GROUP BY t.city ORDER BY t.city;
