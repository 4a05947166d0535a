; `@table` is a reference to a table, `@alias` another name for it within its `@statement`; `@qualifier` says which table
; a `@column` is of, and one without it is of the statement's table if it has but one.

(program (statement) @statement)

; No grammar knows every dialect, and this one reads on where it does not.
(program) @lines

(create_table (object_reference name: (identifier) @name)) @definition
(create_view (object_reference name: (identifier) @name)) @definition
(create_materialized_view (object_reference name: (identifier) @name)) @definition
(create_function (object_reference name: (identifier) @name)) @definition
(create_procedure (object_reference name: (identifier) @name)) @definition
(create_type (object_reference name: (identifier) @name)) @definition
(create_sequence (object_reference name: (identifier) @name)) @definition
(create_trigger . (keyword_create) (keyword_trigger) . (object_reference name: (identifier) @name)) @definition
(create_index column: (identifier) @name) @definition
(column_definition name: (identifier) @name) @definition
(alter_table (object_reference name: (identifier) @receiver)
  (add_column (column_definition name: (identifier) @name) @definition))

(relation (object_reference name: (identifier) @name)) @table
(relation (object_reference name: (identifier) @name) alias: (identifier) @alias)
(from (object_reference name: (identifier) @name)) @table
(insert (object_reference name: (identifier) @name)) @table
(alter_table (object_reference name: (identifier) @name)) @table
(drop_table (object_reference name: (identifier) @name)) @table
(create_index (object_reference name: (identifier) @name)) @reference
(column_definition (object_reference name: (identifier) @name)) @reference
(constraint (object_reference name: (identifier) @name)) @reference
(create_trigger (keyword_on) . (object_reference name: (identifier) @name)) @reference
(create_trigger [(keyword_function) (keyword_procedure)] . (object_reference name: (identifier) @name)) @reference
(invocation (object_reference name: (identifier) @name)) @reference

(field (object_reference name: (identifier) @qualifier) name: (identifier) @name) @column
(field !name column: (identifier) @name) @column
((field . name: (identifier) @name) @column)
(insert (object_reference name: (identifier) @qualifier) (list (column (identifier) @name) @column))
(create_index (object_reference name: (identifier) @qualifier)
  (index_fields (field column: (identifier) @name) @column))
