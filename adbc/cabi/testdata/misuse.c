// Asks a driver library (argument 1: the fake one) all that a caller may do right or wrong. Prints what is not as it
// should be; exit status 1 then.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../adbc.h"

static int failures;
#define CHECK(c) \
	do { \
		if (!(c)) failures++, printf("misuse.c:%d: %s\n", __LINE__, #c); \
	} while (0)
#define IS(call, status) CHECK((call) == ADBC_STATUS_##status)
#define OK(call) IS(call, OK)

static AdbcStatusCode (*init)(int, void *, struct AdbcError *);
static struct AdbcDriver d;

static struct AdbcError fresh(struct AdbcError *e) {
	if (e->release) e->release(e);
	return ADBC_ERROR_INIT;
}

static void begin(void) {
	struct AdbcError e = ADBC_ERROR_INIT;
	IS(init(999, &d, &e), NOT_IMPLEMENTED);
	CHECK(e.message);
	e = fresh(&e);
	IS(init(ADBC_VERSION_1_1_0, NULL, &e), INVALID_ARGUMENT);
	e = fresh(&e);
	IS(init(ADBC_VERSION_1_1_0, NULL, NULL), INVALID_ARGUMENT);
	memset(&d, 0x5a, sizeof d);
	OK(init(ADBC_VERSION_1_0_0, &d, NULL));
	CHECK(*(unsigned char *)&d.ErrorGetDetailCount == 0x5a); // a struct of 1.0 ends there
	OK(init(ADBC_VERSION_1_1_0, &d, NULL));
	for (void **p = (void **)&d.release; p < (void **)(&d + 1); p++) CHECK(*p);
}

static void null_pointers(void) {
	struct AdbcError e = ADBC_ERROR_INIT;
	IS(d.DatabaseNew(NULL, &e), INVALID_ARGUMENT);
	IS(d.DatabaseInit(NULL, &e), INVALID_ARGUMENT); // an error that is set again
	e = fresh(&e);
	IS(d.DatabaseRelease(NULL, NULL), INVALID_ARGUMENT);
	IS(d.DatabaseSetOption(NULL, "a", "b", NULL), INVALID_ARGUMENT);
	IS(d.ConnectionNew(NULL, NULL), INVALID_ARGUMENT);
	IS(d.ConnectionInit(NULL, NULL, NULL), INVALID_ARGUMENT);
	IS(d.ConnectionGetInfo(NULL, NULL, 0, NULL, NULL), INVALID_ARGUMENT);
	IS(d.ConnectionRelease(NULL, NULL), INVALID_ARGUMENT);
	IS(d.StatementNew(NULL, NULL, NULL), INVALID_ARGUMENT);
	IS(d.StatementRelease(NULL, NULL), INVALID_ARGUMENT);
	IS(d.StatementExecuteQuery(NULL, NULL, NULL, NULL), INVALID_ARGUMENT);
	IS(d.StatementBind(NULL, NULL, NULL, NULL), INVALID_ARGUMENT);
	IS(d.StatementCancel(NULL, NULL), INVALID_ARGUMENT);
	CHECK(d.ErrorGetDetailCount(NULL) == 0);
	CHECK(d.ErrorFromArrayStream(NULL, NULL) == NULL);
}

static void open_all(struct AdbcDatabase *db, struct AdbcConnection *c, struct AdbcStatement *s) {
	OK(d.DatabaseNew(db, NULL));
	OK(d.DatabaseSetOption(db, "uri", "here", NULL));
	OK(d.DatabaseInit(db, NULL));
	OK(d.ConnectionNew(c, NULL));
	OK(d.ConnectionInit(c, db, NULL));
	OK(d.StatementNew(c, s, NULL));
}

static void lifetimes(void) {
	struct AdbcError e = ADBC_ERROR_INIT;
	struct AdbcDatabase db = {0}, db_copy;
	struct AdbcConnection c = {0}, wrong = {0};
	struct AdbcStatement s = {0}, s_copy;
	IS(d.DatabaseInit(&db, NULL), INVALID_STATE); // never made
	OK(d.DatabaseNew(&db, NULL));
	OK(d.DatabaseSetOption(&db, "uri", "refused", NULL));
	OK(d.ConnectionNew(&c, NULL));
	IS(d.ConnectionInit(&c, &db, NULL), INVALID_STATE); // the database is not initialized
	IS(d.ConnectionCommit(&c, NULL), INVALID_STATE);
	IS(d.StatementNew(&c, &s, NULL), INVALID_STATE);
	IS(d.DatabaseInit(&db, &e), IO);
	CHECK(!strcmp(e.message, "refused"));
	e = fresh(&e);
	OK(d.ConnectionRelease(&c, NULL));
	OK(d.DatabaseRelease(&db, NULL));

	open_all(&db, &c, &s);
	IS(d.DatabaseInit(&db, NULL), INVALID_STATE);
	IS(d.ConnectionInit(&c, &db, NULL), INVALID_STATE);
	wrong.private_data = s.private_data; // a statement is no connection
	IS(d.ConnectionCommit(&wrong, &e), INVALID_STATE);
	CHECK(strstr(e.message, "no connection"));
	e = fresh(&e);
	wrong.private_data = (void *)(uintptr_t)987654321; // nothing has this number
	IS(d.ConnectionCommit(&wrong, NULL), INVALID_STATE);
	s_copy = s;
	db_copy = db;
	OK(d.StatementRelease(&s, NULL));
	IS(d.StatementRelease(&s, NULL), INVALID_STATE);
	IS(d.StatementRelease(&s_copy, NULL), INVALID_STATE);
	IS(d.StatementPrepare(&s_copy, NULL), INVALID_STATE);
	OK(d.ConnectionRelease(&c, NULL));
	IS(d.ConnectionRelease(&c, NULL), INVALID_STATE);
	OK(d.DatabaseRelease(&db, NULL));
	IS(d.DatabaseRelease(&db_copy, NULL), INVALID_STATE);
}

#define OPTION_TESTS(kind, o) \
	do { \
		char text[8] = "???????"; \
		uint8_t raw[4]; \
		size_t n = 3; \
		int64_t i; \
		double x; \
		OK(d.kind##SetOption(o, "a", "hello", NULL)); \
		OK(d.kind##GetOption(o, "a", text, &n, NULL)); \
		CHECK(n == 6 && text[0] == '?'); /* too long: only the length comes */ \
		OK(d.kind##GetOption(o, "a", text, &n, NULL)); \
		CHECK(!strcmp(text, "hello")); \
		OK(d.kind##SetOptionInt(o, "i", -7, NULL)); \
		OK(d.kind##GetOptionInt(o, "i", &i, NULL)); \
		CHECK(i == -7); \
		OK(d.kind##SetOptionDouble(o, "x", 0.5, NULL)); \
		OK(d.kind##GetOptionDouble(o, "x", &x, NULL)); \
		CHECK(x == 0.5); \
		OK(d.kind##SetOptionBytes(o, "b", (const uint8_t *)"\0\1", 2, NULL)); \
		n = sizeof raw; \
		OK(d.kind##GetOptionBytes(o, "b", raw, &n, NULL)); \
		CHECK(n == 2 && raw[1] == 1); \
		IS(d.kind##GetOption(o, "none", text, &n, NULL), NOT_FOUND); \
		IS(d.kind##SetOption(o, NULL, "x", NULL), INVALID_ARGUMENT); \
		IS(d.kind##SetOption(o, "x", NULL, NULL), INVALID_ARGUMENT); \
		IS(d.kind##GetOption(o, "a", text, NULL, NULL), INVALID_ARGUMENT); \
		IS(d.kind##GetOptionInt(o, "i", NULL, NULL), INVALID_ARGUMENT); \
		n = 8; \
		IS(d.kind##GetOption(o, "a", NULL, &n, NULL), INVALID_ARGUMENT); \
	} while (0)

static void options(void) {
	struct AdbcDatabase db = {0};
	struct AdbcConnection c = {0};
	struct AdbcStatement s = {0};
	OK(d.DatabaseNew(&db, NULL));
	OPTION_TESTS(Database, &db);
	OK(d.DatabaseInit(&db, NULL));
	OPTION_TESTS(Database, &db);
	OK(d.ConnectionNew(&c, NULL));
	OPTION_TESTS(Connection, &c);
	OK(d.ConnectionInit(&c, &db, NULL));
	int64_t i = 0;
	OK(d.ConnectionGetOptionInt(&c, "i", &i, NULL)); // set before Init
	CHECK(i == -7);
	OPTION_TESTS(Connection, &c);
	OK(d.StatementNew(&c, &s, NULL));
	OPTION_TESTS(Statement, &s);
	OK(d.StatementRelease(&s, NULL));
	OK(d.ConnectionRelease(&c, NULL));
	OK(d.DatabaseRelease(&db, NULL));
}

static void errors(struct AdbcConnection *c, struct AdbcStatement *s) {
	struct ArrowArrayStream out;
	memset(&out, 0x77, sizeof out); // a caller need not clear it
	struct AdbcError e = ADBC_ERROR_INIT, old = {0};
	OK(d.StatementSetSqlQuery(s, "error", NULL));
	IS(d.StatementExecuteQuery(s, &out, NULL, &e), UNAUTHORIZED);
	CHECK(!out.release);
	CHECK(!strcmp(e.message, "keep out") && !memcmp(e.sqlstate, "42501", 5));
	CHECK(d.ErrorGetDetailCount(&e) == 2);
	struct AdbcErrorDetail detail = d.ErrorGetDetail(&e, 1);
	CHECK(!strcmp(detail.key, "key") && detail.value_length == 2 && detail.value[1] == 1);
	CHECK(!d.ErrorGetDetail(&e, 2).key && !d.ErrorGetDetail(&e, -1).key);
	e = fresh(&e);
	IS(d.StatementExecuteQuery(s, &out, NULL, &old), UNAUTHORIZED);
	CHECK(old.vendor_code == 42 && !old.private_data && d.ErrorGetDetailCount(&old) == 0);
	old.release(&old);

	OK(d.StatementSetSqlQuery(s, "panic", NULL));
	IS(d.StatementExecuteQuery(s, &out, NULL, &e), INTERNAL);
	CHECK(strstr(e.message, "nil map"));
	e = fresh(&e);
	IS(d.ConnectionGetTableTypes(c, &out, NULL), INTERNAL);
	IS(d.ConnectionGetObjects(c, 9, NULL, NULL, NULL, NULL, NULL, &out, NULL), INVALID_ARGUMENT);
	IS(d.ConnectionGetStatistics(c, NULL, NULL, NULL, 0, &out, NULL), NOT_IMPLEMENTED);
	IS(d.StatementSetSqlQuery(s, NULL, NULL), INVALID_ARGUMENT);
	IS(d.StatementSetSubstraitPlan(s, NULL, 5, NULL), INVALID_ARGUMENT);
	IS(d.StatementExecuteSchema(s, NULL, NULL), INVALID_ARGUMENT);
	IS(d.ConnectionGetInfo(c, NULL, 0, NULL, NULL), INVALID_ARGUMENT);
}

// Reads a stream to its end; -1 after an error.
static int64_t count(struct ArrowArrayStream *out, int *rc) {
	int64_t rows = 0;
	for (;;) {
		struct ArrowArray a;
		memset(&a, 0x33, sizeof a);
		*rc = out->get_next(out, &a);
		if (*rc) return -1;
		if (!a.release) return rows;
		rows += a.length;
		a.release(&a);
	}
}

static void stream_errors(struct AdbcStatement *s) {
	const struct {
		const char *query;
		AdbcStatusCode status;
		int rc, details;
	} tests[] = {
		{"later error", ADBC_STATUS_NOT_FOUND, ENOENT, 1},
		{"later panic", ADBC_STATUS_INTERNAL, EIO, 0},
	};
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		struct ArrowArrayStream out;
		AdbcStatusCode status = 0;
		int rc;
		OK(d.StatementSetSqlQuery(s, tests[i].query, NULL));
		OK(d.StatementExecuteQuery(s, &out, NULL, NULL));
		CHECK(!d.ErrorFromArrayStream(&out, &status));
		CHECK(count(&out, &rc) == -1 && rc == tests[i].rc);
		CHECK(out.get_last_error(&out));
		const struct AdbcError *e = d.ErrorFromArrayStream(&out, &status);
		CHECK(e && status == tests[i].status && d.ErrorGetDetailCount(e) == tests[i].details);
		out.release(&out);
		CHECK(!out.release);
	}
}

static void *release_stream(void *out) {
	((struct ArrowArrayStream *)out)->release(out);
	return NULL;
}

// Streams and arrays outlive whatever they came from, and die in any thread.
static void orphans(void) {
	struct AdbcDatabase db = {0};
	struct AdbcConnection c = {0};
	struct AdbcStatement s = {0};
	struct ArrowArrayStream out;
	struct ArrowSchema schema;
	struct ArrowArray a;
	int64_t rows;
	int rc;
	pthread_t t;
	open_all(&db, &c, &s);
	OK(d.StatementSetSqlQuery(&s, "rows 50", NULL));
	OK(d.StatementExecuteQuery(&s, &out, &rows, NULL));
	CHECK(rows == 50);
	OK(d.StatementRelease(&s, NULL));
	OK(d.ConnectionRelease(&c, NULL));
	OK(d.DatabaseRelease(&db, NULL));
	CHECK(!out.get_schema(&out, &schema) && schema.n_children == 2 && !strcmp(schema.children[0]->name, "i"));
	schema.release(&schema);
	CHECK(!out.get_next(&out, &a) && a.length == 1 && a.n_children == 2);
	CHECK(count(&out, &rc) == 49);
	pthread_create(&t, NULL, release_stream, &out);
	pthread_join(t, NULL);
	CHECK(((const int64_t *)a.children[0]->buffers[1])[0] == 49);
	a.release(&a);
	CHECK(!a.release);
}

static void *cancel_soon(void *s) {
	usleep(50000);
	OK(d.StatementCancel(s, NULL));
	return NULL;
}

static void cancelling(struct AdbcStatement *s) {
	struct AdbcError e = ADBC_ERROR_INIT;
	struct ArrowArrayStream out;
	AdbcStatusCode status;
	pthread_t t;
	int rc;
	OK(d.StatementSetSqlQuery(s, "wait", NULL));
	pthread_create(&t, NULL, cancel_soon, s);
	IS(d.StatementExecuteQuery(s, &out, NULL, &e), CANCELLED);
	pthread_join(t, NULL);
	e = fresh(&e);
	OK(d.StatementSetSqlQuery(s, "later wait", NULL));
	OK(d.StatementExecuteQuery(s, &out, NULL, NULL));
	pthread_create(&t, NULL, cancel_soon, s);
	CHECK(count(&out, &rc) == -1 && rc == ECANCELED);
	pthread_join(t, NULL);
	CHECK(d.ErrorFromArrayStream(&out, &status) && status == ADBC_STATUS_CANCELLED);
	out.release(&out);
	OK(d.StatementSetSqlQuery(s, "rows 3", NULL)); // and it goes on
	OK(d.StatementExecuteQuery(s, &out, NULL, NULL));
	CHECK(count(&out, &rc) == 3);
	out.release(&out);
}

static void on_signal(int sig) {}

// A handler without SA_ONSTACK would run on the stack of a goroutine.
static void signals(struct AdbcStatement *s) {
	struct sigaction before, a = {.sa_handler = on_signal};
	sigaction(SIGINT, &a, &before);
	OK(d.StatementPrepare(s, NULL));
	sigaction(SIGINT, &before, &a);
	CHECK(a.sa_handler == on_signal && a.sa_flags & SA_ONSTACK);
}

static void arguments(struct AdbcConnection *c, struct AdbcStatement *s) {
	struct ArrowArrayStream out;
	struct ArrowSchema schema;
	struct ArrowArray a;
	struct AdbcPartitions parts;
	int64_t rows = 0;
	int rc;
	OK(d.ConnectionGetInfo(c, (uint32_t[]){0, 100}, 2, &out, NULL));
	CHECK(count(&out, &rc) == 2);
	out.release(&out);
	OK(d.ConnectionGetObjects(c, 0, NULL, NULL, NULL, (const char *[]){"table", "view", "x", NULL}, NULL, &out, NULL));
	CHECK(count(&out, &rc) == 3);
	out.release(&out);
	OK(d.StatementExecutePartitions(s, &schema, &parts, &rows, NULL));
	CHECK(rows == 7 && parts.num_partitions == 2 && schema.n_children == 2);
	schema.release(&schema);
	OK(d.ConnectionReadPartition(c, parts.partitions[1], parts.partition_lengths[1], &out, NULL));
	CHECK(count(&out, &rc) == 4);
	out.release(&out);
	parts.release(&parts);
	CHECK(!parts.release);
	OK(d.StatementExecutePartitions(s, NULL, &parts, NULL, NULL));
	parts.release(&parts);

	// What is bound belongs to the driver.
	OK(d.StatementSetSubstraitPlan(s, (const uint8_t *)"rows 2", 6, NULL));
	OK(d.StatementExecuteQuery(s, &out, NULL, NULL));
	out.get_schema(&out, &schema);
	out.get_next(&out, &a);
	OK(d.StatementBind(s, &a, &schema, NULL));
	OK(d.StatementExecuteQuery(s, NULL, &rows, NULL));
	CHECK(rows == 1);
	OK(d.StatementBindStream(s, &out, NULL));
	OK(d.StatementExecuteQuery(s, NULL, &rows, NULL));
	CHECK(rows == 2);
}

// A child can't use the driver, and does not hang.
static void forks(struct AdbcConnection *c, struct AdbcStatement *s) {
	struct ArrowArrayStream out;
	struct ArrowArray a;
	OK(d.StatementSetSqlQuery(s, "rows 3", NULL));
	OK(d.StatementExecuteQuery(s, &out, NULL, NULL));
	out.get_next(&out, &a);
	pid_t child = fork();
	if (child == 0) {
		struct AdbcError e = ADBC_ERROR_INIT;
		struct AdbcDriver again;
		int before = failures, rc;
		IS(d.ConnectionCommit(c, &e), INVALID_STATE);
		CHECK(e.message && strstr(e.message, "fork"));
		e = fresh(&e);
		IS(init(ADBC_VERSION_1_1_0, &again, NULL), INVALID_STATE);
		CHECK(count(&out, &rc) == -1 && strstr(out.get_last_error(&out), "fork"));
		out.release(&out);
		a.release(&a);
		OK(d.StatementRelease(s, NULL));
		OK(d.ConnectionRelease(c, NULL));
		fflush(stdout);
		_exit(failures != before);
	}
	int status = 1;
	waitpid(child, &status, 0);
	CHECK(status == 0);
	a.release(&a);
	out.release(&out);
}

int main(int argc, char **argv) {
	void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!library) return printf("%s\n", dlerror()), 1;
	*(void **)&init = dlsym(library, "AdbcDriverHudiInit");
	CHECK(dlsym(library, "AdbcDriverInit"));
	struct AdbcDatabase db = {0};
	struct AdbcConnection c = {0};
	struct AdbcStatement s = {0};
	begin();
	null_pointers();
	lifetimes();
	if (argc > 2) return failures != 0; // this much will do
	options();
	open_all(&db, &c, &s);
	errors(&c, &s);
	stream_errors(&s);
	orphans();
	cancelling(&s);
	signals(&s);
	arguments(&c, &s);
	forks(&c, &s);
	OK(d.StatementRelease(&s, NULL));
	OK(d.ConnectionRelease(&c, NULL));
	OK(d.DatabaseRelease(&db, NULL));
	AdbcStatusCode (*release)(struct AdbcDriver *, struct AdbcError *) = d.release;
	OK(release(&d, NULL));
	IS(release(&d, NULL), INVALID_STATE);
	return failures != 0;
}
