-- The three best tipped drivers of each city: window functions, like everything else of DuckDB, work on Hudi tables.
SELECT city, driver, tips, place FROM (
  SELECT city, driver, sum(tip) AS tips, row_number() OVER (PARTITION BY city ORDER BY sum(tip) DESC, driver) AS place
  FROM trips WHERE tip IS NOT NULL GROUP BY city, driver
) WHERE place <= 3 ORDER BY city, place;
