// The tables of functions that AdbcDriver is, and all that has to be C: const
// parameters, callbacks that free memory, and what happens after a fork.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"
#include "cabi.h"

#ifndef _WIN32
#include <pthread.h>
#endif

#define PUBLIC __attribute__((visibility("default")))

// ---- fork: only the thread that forked lives on in the child, and Go can't run without its other threads.

static int forked;
static const char forked_message[] =
	"[hudi] this process is a fork of one that had loaded the driver, whose threads a fork does not copy: "
	"start processes by spawn or forkserver, or load the driver after the fork";

static void after_fork(void) { forked = 1; }

__attribute__((constructor)) static void watch_forks(void) {
#ifndef _WIN32
	pthread_atfork(NULL, NULL, after_fork);
#endif
}

// ---- Ctrl-C: Go code runs on small stacks of its own, where only signal handlers that ask for the signal stack do no
// harm. Go sees to those that are set when it is loaded; ADBC's manager for Python sets one of its own for each call.

static void mind_signals(void) {
#ifndef _WIN32
	struct sigaction a;
	if (sigaction(SIGINT, NULL, &a) || a.sa_handler == SIG_DFL || a.sa_handler == SIG_IGN || a.sa_flags & SA_ONSTACK)
		return;
	a.sa_flags |= SA_ONSTACK;
	sigaction(SIGINT, &a, NULL);
#endif
}

// ---- errors

static void free_details(struct hudi_details *d) {
	if (!d) return;
	for (int i = 0; i < d->count; i++) {
		free((void *)d->list[i].key);
		free((void *)d->list[i].value);
	}
	free(d->list);
	free(d);
}

static void error_release(struct AdbcError *e) {
	free(e->message);
	e->message = NULL;
	e->release = NULL;
}

static void error_release_details(struct AdbcError *e) {
	free_details(e->private_data);
	e->private_data = NULL;
	error_release(e);
}

void hudi_error_set(struct AdbcError *e, char *message, int32_t vendor_code, const char *sqlstate,
		struct hudi_details *details) {
	if (!e) {
		free(message);
		free_details(details);
		return;
	}
	if (e->release) e->release(e);
	e->message = message;
	memcpy(e->sqlstate, sqlstate, sizeof e->sqlstate);
	// Callers of ADBC 1.0 give a shorter struct, and another code here.
	if (e->vendor_code == ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA) {
		e->private_data = details;
		e->release = error_release_details;
		return;
	}
	e->vendor_code = vendor_code;
	e->release = error_release;
	free_details(details);
}

void hudi_error_add(struct hudi_details *d, int i, char *key, void *value, size_t length) {
	d->list[i] = (struct AdbcErrorDetail){key, value, length};
}

static AdbcStatusCode fail(struct AdbcError *e, AdbcStatusCode status, const char *message) {
	hudi_error_set(e, strdup(message), 0, "\0\0\0\0", NULL);
	return status;
}

static int error_detail_count(const struct AdbcError *e) {
	if (!e || e->release != error_release_details || !e->private_data) return 0;
	return ((struct hudi_details *)e->private_data)->count;
}

static struct AdbcErrorDetail error_detail(const struct AdbcError *e, int i) {
	if (i < 0 || i >= error_detail_count(e)) return (struct AdbcErrorDetail){NULL, NULL, 0};
	return ((struct hudi_details *)e->private_data)->list[i];
}

// ---- arrays: the release that cdata gave is Go, so a forked child must not call it.

struct owned_array {
	void (*release)(struct ArrowArray *);
	void *private_data;
};

static void array_release(struct ArrowArray *a) {
	struct owned_array *o = a->private_data;
	if (forked) {
		a->release = NULL;
		return;
	}
	a->private_data = o->private_data;
	a->release = o->release;
	free(o);
	a->release(a);
}

static void own_array(struct ArrowArray *a) {
	struct owned_array *o = a->release ? malloc(sizeof *o) : NULL;
	if (!o) return;
	*o = (struct owned_array){a->release, a->private_data};
	a->private_data = o;
	a->release = array_release;
}

// ---- streams

static int stream_get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out) {
	memset(out, 0, sizeof *out);
	return forked ? ENOTSUP : hudiStreamSchema(s->private_data, out);
}

static int stream_get_next(struct ArrowArrayStream *s, struct ArrowArray *out) {
	memset(out, 0, sizeof *out);
	if (forked) return ENOTSUP;
	mind_signals();
	int rc = hudiStreamNext(s->private_data, out);
	own_array(out);
	return rc;
}

static const char *stream_get_last_error(struct ArrowArrayStream *s) {
	return forked ? forked_message : ((struct hudi_stream *)s->private_data)->error.message;
}

static void stream_release(struct ArrowArrayStream *s) {
	struct hudi_stream *p = s->private_data;
	if (!forked) hudiStreamRelease(p);
	if (p->error.release) p->error.release(&p->error);
	free(p);
	s->private_data = NULL;
	s->release = NULL;
}

void hudi_stream_make(struct ArrowArrayStream *out, uintptr_t handle) {
	struct hudi_stream *p = calloc(1, sizeof *p);
	p->handle = handle;
	p->error = ADBC_ERROR_INIT;
	*out = (struct ArrowArrayStream){stream_get_schema, stream_get_next, stream_get_last_error, stream_release, p};
}

static const struct AdbcError *error_from_stream(struct ArrowArrayStream *s, AdbcStatusCode *status) {
	if (!s || s->release != stream_release) return NULL;
	struct hudi_stream *p = s->private_data;
	if (!p->error.message) return NULL;
	if (status) *status = p->status;
	return &p->error;
}

// ---- partitions

static void partitions_release(struct AdbcPartitions *p) {
	for (size_t i = 0; i < p->num_partitions; i++) free((void *)p->partitions[i]);
	free((void *)p->partitions);
	free((void *)p->partition_lengths);
	memset(p, 0, sizeof *p);
}

int hudi_partitions_make(struct AdbcPartitions *out, size_t count) {
	memset(out, 0, sizeof *out);
	out->partitions = calloc(count + 1, sizeof *out->partitions);
	out->partition_lengths = calloc(count + 1, sizeof *out->partition_lengths);
	if (!out->partitions || !out->partition_lengths) {
		partitions_release(out);
		return 0;
	}
	out->num_partitions = count;
	out->release = partitions_release;
	return 1;
}

void hudi_partition_set(struct AdbcPartitions *out, size_t i, void *bytes, size_t length) {
	out->partitions[i] = bytes;
	((size_t *)out->partition_lengths)[i] = length;
}

// ---- the functions. Each line has a name, parameters, arguments, and what is cleared before Go sees it: cgo forbids
// memory with unknown contents.

#define CLEAR(p) \
	if (p) memset(p, 0, sizeof *(p))
#define FRESH(o) \
	if (o) (o)->private_data = NULL
#define NOTHING (void)0

#define DB struct AdbcDatabase *o
#define CONN struct AdbcConnection *o
#define STMT struct AdbcStatement *o
#define ERR struct AdbcError *e
#define STREAM struct ArrowArrayStream *out
#define SCHEMA struct ArrowSchema *out
#define KEY const char *key
#define BYTES const uint8_t *value, size_t n

#define EACH_1_0(F) \
	F(DatabaseInit, (DB, ERR), (o, e), NOTHING) \
	F(DatabaseNew, (DB, ERR), (o, e), FRESH(o)) \
	F(DatabaseSetOption, (DB, KEY, const char *value, ERR), (o, key, value, e), NOTHING) \
	F(ConnectionCommit, (CONN, ERR), (o, e), NOTHING) \
	F(ConnectionGetInfo, (CONN, const uint32_t *codes, size_t n, STREAM, ERR), (o, codes, n, out, e), CLEAR(out)) \
	F(ConnectionGetObjects, (CONN, int depth, const char *catalog, const char *schema, const char *table, \
			const char **types, const char *column, STREAM, ERR), \
			(o, depth, catalog, schema, table, types, column, out, e), CLEAR(out)) \
	F(ConnectionGetTableSchema, (CONN, const char *catalog, const char *schema, const char *table, SCHEMA, ERR), \
			(o, catalog, schema, table, out, e), CLEAR(out)) \
	F(ConnectionGetTableTypes, (CONN, STREAM, ERR), (o, out, e), CLEAR(out)) \
	F(ConnectionInit, (CONN, struct AdbcDatabase *db, ERR), (o, db, e), NOTHING) \
	F(ConnectionNew, (CONN, ERR), (o, e), FRESH(o)) \
	F(ConnectionSetOption, (CONN, KEY, const char *value, ERR), (o, key, value, e), NOTHING) \
	F(ConnectionReadPartition, (CONN, BYTES, STREAM, ERR), (o, value, n, out, e), CLEAR(out)) \
	F(ConnectionRollback, (CONN, ERR), (o, e), NOTHING) \
	F(StatementBind, (STMT, struct ArrowArray *values, struct ArrowSchema *schema, ERR), (o, values, schema, e), NOTHING) \
	F(StatementBindStream, (STMT, struct ArrowArrayStream *values, ERR), (o, values, e), NOTHING) \
	F(StatementExecuteQuery, (STMT, STREAM, int64_t *rows, ERR), (o, out, rows, e), CLEAR(out)) \
	F(StatementExecutePartitions, (STMT, SCHEMA, struct AdbcPartitions *p, int64_t *rows, ERR), (o, out, p, rows, e), \
			CLEAR(out); CLEAR(p)) \
	F(StatementGetParameterSchema, (STMT, SCHEMA, ERR), (o, out, e), CLEAR(out)) \
	F(StatementNew, (struct AdbcConnection *c, STMT, ERR), (c, o, e), FRESH(o)) \
	F(StatementPrepare, (STMT, ERR), (o, e), NOTHING) \
	F(StatementSetOption, (STMT, KEY, const char *value, ERR), (o, key, value, e), NOTHING) \
	F(StatementSetSqlQuery, (STMT, const char *query, ERR), (o, query, e), NOTHING) \
	F(StatementSetSubstraitPlan, (STMT, BYTES, ERR), (o, value, n, e), NOTHING)

// A forked child may let go of what it got from its parent.
#define EACH_RELEASE(F) \
	F(DatabaseRelease, (DB, ERR), (o, e), NOTHING) \
	F(ConnectionRelease, (CONN, ERR), (o, e), NOTHING) \
	F(StatementRelease, (STMT, ERR), (o, e), NOTHING)

#define OPTIONS_OF(F, kind, WHOSE) \
	F(kind##GetOption, (WHOSE, KEY, char *value, size_t *n, ERR), (o, key, value, n, e), NOTHING) \
	F(kind##GetOptionBytes, (WHOSE, KEY, uint8_t *value, size_t *n, ERR), (o, key, value, n, e), NOTHING) \
	F(kind##GetOptionDouble, (WHOSE, KEY, double *value, ERR), (o, key, value, e), NOTHING) \
	F(kind##GetOptionInt, (WHOSE, KEY, int64_t *value, ERR), (o, key, value, e), NOTHING) \
	F(kind##SetOptionBytes, (WHOSE, KEY, BYTES, ERR), (o, key, value, n, e), NOTHING) \
	F(kind##SetOptionDouble, (WHOSE, KEY, double value, ERR), (o, key, value, e), NOTHING) \
	F(kind##SetOptionInt, (WHOSE, KEY, int64_t value, ERR), (o, key, value, e), NOTHING)

#define EACH_1_1(F) \
	OPTIONS_OF(F, Database, DB) \
	OPTIONS_OF(F, Connection, CONN) \
	OPTIONS_OF(F, Statement, STMT) \
	F(ConnectionCancel, (CONN, ERR), (o, e), NOTHING) \
	F(ConnectionGetStatistics, (CONN, const char *catalog, const char *schema, const char *table, char approximate, \
			STREAM, ERR), (o, catalog, schema, table, approximate, out, e), CLEAR(out)) \
	F(ConnectionGetStatisticNames, (CONN, STREAM, ERR), (o, out, e), CLEAR(out)) \
	F(StatementCancel, (STMT, ERR), (o, e), NOTHING) \
	F(StatementExecuteSchema, (STMT, SCHEMA, ERR), (o, out, e), CLEAR(out))

#define DEFINE(name, parameters, arguments, clear) \
	static AdbcStatusCode name parameters { \
		clear; \
		if (forked) return fail(e, ADBC_STATUS_INVALID_STATE, forked_message); \
		mind_signals(); \
		return hudi##name arguments; \
	}
#define DEFINE_RELEASE(name, parameters, arguments, clear) \
	static AdbcStatusCode name parameters { \
		if (!forked || !o) return hudi##name arguments; \
		o->private_data = NULL; \
		return ADBC_STATUS_OK; \
	}
EACH_1_0(DEFINE)
EACH_1_1(DEFINE)
EACH_RELEASE(DEFINE_RELEASE)

static AdbcStatusCode driver_release(struct AdbcDriver *driver, struct AdbcError *e) {
	if (!driver || !driver->release) return fail(e, ADBC_STATUS_INVALID_STATE, "[hudi] the driver was released before");
	driver->private_data = NULL;
	driver->release = NULL;
	return ADBC_STATUS_OK;
}

PUBLIC AdbcStatusCode AdbcDriverHudiInit(int version, void *raw, struct AdbcError *e) {
	struct AdbcDriver *driver = raw;
	if (!driver) return fail(e, ADBC_STATUS_INVALID_ARGUMENT, "[hudi] no struct to put the driver in");
	if (version != ADBC_VERSION_1_0_0 && version != ADBC_VERSION_1_1_0)
		return fail(e, ADBC_STATUS_NOT_IMPLEMENTED, "[hudi] only ADBC 1.0 and 1.1 are known");
	if (forked) return fail(e, ADBC_STATUS_INVALID_STATE, forked_message);
	memset(driver, 0, version == ADBC_VERSION_1_0_0 ? ADBC_DRIVER_1_0_0_SIZE : ADBC_DRIVER_1_1_0_SIZE);
#define FILL(name, parameters, arguments, clear) driver->name = name;
	EACH_1_0(FILL)
	EACH_RELEASE(FILL)
	driver->release = driver_release;
	if (version == ADBC_VERSION_1_0_0) return ADBC_STATUS_OK;
	EACH_1_1(FILL)
	driver->ErrorGetDetailCount = error_detail_count;
	driver->ErrorGetDetail = error_detail;
	driver->ErrorFromArrayStream = error_from_stream;
	return ADBC_STATUS_OK;
}

PUBLIC AdbcStatusCode AdbcDriverInit(int version, void *driver, struct AdbcError *e) {
	return AdbcDriverHudiInit(version, driver, e);
}
