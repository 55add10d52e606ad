// The places of functions in the struct of function pointers that DuckDB hands
// to an extension which asks for the stable C API v1.2.0. The first 357 never
// change their place; later versions append to them.

#ifndef HUDI_DUCKDB_SLOTS_H
#define HUDI_DUCKDB_SLOTS_H

#define HUDI_SLOTS(X) \
	X(25, free) \
	X(26, vector_size) \
	X(156, create_logical_type) \
	X(165, create_decimal_type) \
	X(159, create_list_type) \
	X(161, create_map_type) \
	X(163, create_struct_type) \
	X(184, destroy_logical_type) \
	X(242, create_table_function) \
	X(243, destroy_table_function) \
	X(244, table_function_set_name) \
	X(245, table_function_add_parameter) \
	X(246, table_function_add_named_parameter) \
	X(247, table_function_set_extra_info) \
	X(248, table_function_set_bind) \
	X(249, table_function_set_init) \
	X(250, table_function_set_local_init) \
	X(251, table_function_set_function) \
	X(252, table_function_supports_projection_pushdown) \
	X(253, register_table_function) \
	X(254, bind_get_extra_info) \
	X(257, bind_get_parameter) \
	X(258, bind_get_named_parameter) \
	X(255, bind_add_result_column) \
	X(259, bind_set_bind_data) \
	X(260, bind_set_cardinality) \
	X(261, bind_set_error) \
	X(142, get_varchar) \
	X(149, is_null_value) \
	X(146, get_map_size) \
	X(147, get_map_key) \
	X(148, get_map_value) \
	X(93, create_varchar) \
	X(92, destroy_value) \
	X(263, init_get_bind_data) \
	X(264, init_set_init_data) \
	X(265, init_get_column_count) \
	X(266, init_get_column_index) \
	X(267, init_set_max_threads) \
	X(268, init_set_error) \
	X(271, function_get_init_data) \
	X(272, function_get_local_init_data) \
	X(273, function_set_error) \
	X(190, data_chunk_get_vector) \
	X(191, data_chunk_get_size) \
	X(189, data_chunk_get_column_count) \
	X(192, data_chunk_set_size) \
	X(194, vector_get_data) \
	X(195, vector_get_validity) \
	X(196, vector_ensure_validity_writable) \
	X(199, list_vector_get_child) \
	X(201, list_vector_set_size) \
	X(202, list_vector_reserve) \
	X(203, struct_vector_get_child) \
	X(209, create_scalar_function) \
	X(210, destroy_scalar_function) \
	X(211, scalar_function_set_name) \
	X(212, scalar_function_set_varargs) \
	X(213, scalar_function_set_special_handling) \
	X(216, scalar_function_set_return_type) \
	X(217, scalar_function_set_extra_info) \
	X(218, scalar_function_set_function) \
	X(220, scalar_function_get_extra_info) \
	X(221, scalar_function_set_error) \
	X(219, register_scalar_function) \
	X(274, add_replacement_scan) \
	X(275, replacement_scan_set_function_name) \
	X(276, replacement_scan_add_parameter) \
	X(277, replacement_scan_set_error) \
	X(7, library_version) \
	X(0, open) \
	X(2, close) \
	X(3, connect) \
	X(6, disconnect) \
	X(13, query) \
	X(21, result_error) \
	X(14, destroy_result) \
	X(306, fetch_chunk) \
	X(187, destroy_data_chunk) \
	X(198, assign_string)

#endif
