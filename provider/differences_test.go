package provider_test

// differences are answers of Spark that are not ours, each with the reason.
var differences = map[string]string{
	"v6/bootstrap_metadata_only_mor/incremental 000 to 20261129225221630":          "0.15 reads the skeleton of a bootstrapped file without its source: data columns come out null",
	"v6/drop_partition_columns/incremental 000 to 20261129213609982":               fromPath,
	"v6/drop_partition_columns/incremental 20261129213605712 to 20261129213609982": fromPath,

	"v6/payload_partial_update/incremental 20261129215126889 to 20261129215142200": gaps,
	"v6/payload_partial_update/incremental 20261129215126889 to 20261129215134095": gaps,

	"v6/payload_event_time/incremental 20261129215237172 to 20261129215251754": late,
	"v6/payload_event_time/incremental 20261129215237172 to 20261129215244124": late,

	"v8/evolve_full_cow/incremental 20261129221153140 to 20261129221207946": current,
	"v9/evolve_full_cow/incremental 20261129222054752 to 20261129222108249": current,
}

const (
	late     = "0.15 leaves out rows of the range that lose against older ones with this payload; later releases, and 0.15 with others, give them"
	current  = "1.x gives the rows that are still current, since a file that the range itself replaced has been cleaned; the files of the range's end are all there, and have the rows that 0.15 finds in its table of the same steps"
	fromPath = "0.15 gives null for a dropped partition column in incremental queries; later releases take it from the path"
	gaps     = "0.15 fills gaps in a row of the range from rows before the range; later releases merge only what is in the range"
)
