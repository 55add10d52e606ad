-- One wide table that three writers fill: the shop writes b and c, the bank d, the depot e. Which columns came in so far?
SELECT b IS NOT NULL AS ordered, d IS NOT NULL AS paid, e IS NOT NULL AS sent, count(*) AS orders
FROM orders GROUP BY ALL ORDER BY ALL;
