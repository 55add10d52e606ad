-- What a condition leaves out, level by level, and who reads the rest.
SELECT step, seen, pruned, "by" FROM hudi_plan('../../testdata/trips', filter := 'city = ''osaka'' AND fare > 30');
