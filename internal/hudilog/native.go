package hudilog

import (
	"encoding/json"
	"strconv"
)

// NativeFooterKey is the entry of a native log file's footer (Parquet
// key-value metadata, HFile file info) that holds its header.
const NativeFooterKey = "hudi.log.format.metadata"

// maxNativeVersion is the newest version of native logs that is read.
const maxNativeVersion = 2

// ParseNativeHeader takes the footer entry [NativeFooterKey] of a native log
// apart: the same header as an inline block has, by name. Names without a
// meaning here are left out.
func ParseNativeHeader(value string) (map[HeaderKey]string, error) {
	var entries map[string]string
	if err := json.Unmarshal([]byte(value), &entries); err != nil {
		return nil, corruptf("footer entry %s: %v", NativeFooterKey, err)
	}
	if v, ok := entries["VERSION"]; ok {
		n, err := strconv.Atoi(v)
		if err != nil {
			return nil, corruptf("footer entry %s: version %q", NativeFooterKey, v)
		}
		if n > maxNativeVersion {
			return nil, unsupportedf("native log of version %d is newer than version %d", n, maxNativeVersion)
		}
	}
	h := make(map[HeaderKey]string)
	for key, name := range headerNames {
		if v, ok := entries[name]; ok {
			h[HeaderKey(key)] = v
		}
	}
	return h, nil
}
