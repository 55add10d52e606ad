package adbc

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow-adbc/go/adbc"
)

// scheme is the one of the driver's own URIs: hudi:///lake/trips, and
// hudi+s3://bucket/trips for other schemes.
const scheme = "hudi"

// uriParameters are the options that may stand behind a URI, by their name there.
var uriParameters = map[string]string{
	"as_of": OptionAsOf, "query_type": OptionQueryType, "begin_time": OptionBegin, "end_time": OptionEnd, "meta": OptionMeta,
	"deletes": OptionDeletes, "threads": OptionThreads, "batch_size": OptionBatchSize, "memory_limit": OptionMemoryLimit,
}

// parseURI gives the path or URI of the storage, and the options that stand
// behind it.
func parseURI(uri string) (path string, options map[string]string, err error) {
	path, query, _ := strings.Cut(uri, "?")
	switch {
	case path == "":
		return "", nil, errorf(adbc.StatusInvalidArgument, "option uri is empty: it is a table or a folder of tables, as in hudi:///lake/trips or /lake")
	case strings.HasPrefix(path, scheme+"+"):
		path = strings.TrimPrefix(path, scheme+"+")
	case strings.HasPrefix(path, scheme+":"):
		if path, err = localPath(uri, strings.TrimPrefix(path, scheme+":")); err != nil {
			return "", nil, err
		}
	}
	if !strings.Contains(path, "://") && !strings.HasPrefix(path, "file:") {
		// It stays the same table when the process changes its folder.
		if path, err = filepath.Abs(path); err != nil {
			return "", nil, errorf(adbc.StatusInvalidArgument, "uri %s: %v", uri, err)
		}
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", nil, errorf(adbc.StatusInvalidArgument, "parameters of %s: %v", uri, err)
	}
	options = map[string]string{}
	for key, v := range values {
		name, ok := uriParameters[key]
		switch {
		case ok:
		case strings.HasPrefix(key, "hoodie."):
			name = OptionHudiPrefix + key
		case strings.HasPrefix(key, "storage."):
			name = OptionStoragePrefix + strings.TrimPrefix(key, "storage.")
		default:
			known := []string{"hoodie...", "storage..."}
			for k := range uriParameters {
				known = append(known, k)
			}
			slices.Sort(known)
			return "", nil, errorf(adbc.StatusInvalidArgument, "uri %s: there is no parameter %s, only %s", uri, key, strings.Join(known, ", "))
		}
		options[name] = v[len(v)-1]
	}
	return path, options, nil
}

// localPath reads what follows hudi: as the path of a file URI.
func localPath(uri, rest string) (string, error) {
	if host, ok := strings.CutPrefix(rest, "//"); ok {
		if !strings.HasPrefix(host, "/") {
			return "", errorf(adbc.StatusInvalidArgument, "uri %s: %q is no path; write hudi:///path, or hudi+s3://bucket/path for a store", uri, host)
		}
		rest = host
	}
	path, err := url.PathUnescape(rest)
	if err != nil || path == "" {
		return "", errorf(adbc.StatusInvalidArgument, "uri %s: %q is no path", uri, rest)
	}
	return path, nil
}
