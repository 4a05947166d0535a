; Beside the grammar's own tags query.

(constructor_declaration name: (identifier) @name) @definition
(compact_constructor_declaration name: (identifier) @name) @definition
(enum_declaration name: (identifier) @name) @definition
(enum_constant name: (identifier) @name) @definition
(record_declaration name: (identifier) @name) @definition
(annotation_type_declaration name: (identifier) @name) @definition
(annotation_type_element_declaration name: (identifier) @name) @definition
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition

(type_identifier) @name @reference
(marker_annotation name: (identifier) @name) @reference
(annotation name: (identifier) @name) @reference
(method_reference (identifier) @name) @reference
