// What the Go files and driver.c of this package share.
#pragma once

#include "adbc.h"

// cgo has no const, so exported functions take these.
typedef const char hudi_char;
typedef const uint8_t hudi_byte;
typedef const uint32_t hudi_code;
typedef const char *const hudi_text; // an element of a list of texts

// The details of an error, which it owns.
struct hudi_details {
	int count;
	struct AdbcErrorDetail *list;
};

// The private data of an exported stream.
struct hudi_stream {
	uintptr_t handle; // cgo.Handle of the Go stream
	AdbcStatusCode status;
	struct AdbcError error; // of the last call; released with the stream
};

// Both fill an error, if there is one, and take what they are given: text and
// details come from malloc.
void hudi_error_set(struct AdbcError *error, char *message, int32_t vendor_code, const char *sqlstate,
		struct hudi_details *details);
void hudi_error_add(struct hudi_details *details, int i, char *key, void *value, size_t length);

// Makes a stream of a handle.
void hudi_stream_make(struct ArrowArrayStream *out, uintptr_t handle);

// Makes the list of partitions, each of which hudi_partition_set then fills
// with bytes from malloc. 0 if there is no memory.
int hudi_partitions_make(struct AdbcPartitions *out, size_t count);
void hudi_partition_set(struct AdbcPartitions *out, size_t i, void *bytes, size_t length);
