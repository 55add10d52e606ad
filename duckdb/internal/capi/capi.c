#include "capi.h"

hudi_duckdb_api hudi_api;
