(class_definition name: (identifier) @name) @definition
(object_definition name: (identifier) @name) @definition
(trait_definition name: (identifier) @name) @definition
(enum_definition name: (identifier) @name) @definition
(simple_enum_case name: (identifier) @name) @definition
(full_enum_case name: (identifier) @name) @definition
(given_definition name: (identifier) @name) @definition
(type_definition name: (type_identifier) @name) @definition
(function_definition name: [(identifier) (operator_identifier)] @name) @definition
(function_declaration name: [(identifier) (operator_identifier)] @name) @definition
(template_body (val_definition pattern: (identifier) @name) @definition)
(template_body (var_definition pattern: (identifier) @name) @definition)
(template_body (val_declaration name: (identifier) @name) @definition)
(template_body (var_declaration name: (identifier) @name) @definition)
(compilation_unit (val_definition pattern: (identifier) @name) @definition)

(call_expression function: [
  (identifier) @name
  (field_expression field: (identifier) @name)
  (generic_function function: [(identifier) @name (field_expression field: (identifier) @name)])
]) @reference
(type_identifier) @name @reference
(annotation name: (type_identifier) @name) @reference
