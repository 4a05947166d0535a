(class_declaration name: (type_identifier) @name) @definition
(class_declaration name: (user_type (type_identifier) @name)) @scope
(protocol_declaration name: (type_identifier) @name) @definition
(typealias_declaration name: (type_identifier) @name) @definition
(associatedtype_declaration name: (type_identifier) @name) @definition
(enum_entry name: (simple_identifier) @name @definition)
(function_declaration name: (simple_identifier) @name) @definition
(protocol_function_declaration name: (simple_identifier) @name) @definition
(init_declaration name: "init" @name) @definition
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition)

(call_expression . [
  (simple_identifier) @name
  (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @name))
]) @reference
(user_type (type_identifier) @name) @reference
(macro_invocation (simple_identifier) @name) @reference
