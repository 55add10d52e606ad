package snapshot

import "maps"

// ConfigOf gives the configuration that properties make, with the refusals of
// [ReadConfig]; for plans that are read where the table's own file need not be
// read again. table names the table in errors.
func ConfigOf(table string, properties map[string]string) (*Config, error) {
	c := parseConfig(maps.Clone(properties))
	if err := c.check(table, propertiesFile); err != nil {
		return nil, err
	}
	return c, c.checkFormats(table)
}
