(namespace_declaration name: (_) @name) @scope

(class_declaration name: (identifier) @name) @definition
(interface_declaration name: (identifier) @name) @definition
(struct_declaration name: (identifier) @name) @definition
(record_declaration name: (identifier) @name) @definition
(enum_declaration name: (identifier) @name) @definition
(enum_member_declaration name: (identifier) @name) @definition
(delegate_declaration name: (identifier) @name) @definition
(method_declaration name: (identifier) @name) @definition
(constructor_declaration name: (identifier) @name) @definition
(local_function_statement name: (identifier) @name) @definition
(property_declaration name: (identifier) @name) @definition
(event_declaration name: (identifier) @name) @definition
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition

(invocation_expression function: [
  (identifier) @name
  (generic_name (identifier) @name)
  (member_access_expression name: [(identifier) @name (generic_name (identifier) @name)])
  (conditional_access_expression (member_binding_expression name: [(identifier) @name (generic_name (identifier) @name)]))
]) @reference

(object_creation_expression type: [
  (identifier) @name
  (qualified_name name: (identifier) @name)
]) @reference

(base_list [(identifier) @name (qualified_name name: (identifier) @name)]) @reference
(generic_name (identifier) @name) @reference
(type_argument_list (identifier) @name) @reference
(nullable_type (identifier) @name) @reference
(array_type (identifier) @name) @reference
(attribute name: [(identifier) @name (qualified_name name: (identifier) @name)]) @reference
(parameter type: (identifier) @name) @reference
(variable_declaration type: (identifier) @name) @reference
(property_declaration type: (identifier) @name) @reference
(method_declaration returns: (identifier) @name) @reference
(cast_expression type: (identifier) @name) @reference
(catch_declaration type: (identifier) @name) @reference
(typeof_expression type: (identifier) @name) @reference
