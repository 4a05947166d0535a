(class_declaration name: (identifier) @name) @definition
(object_declaration name: (identifier) @name) @definition
(type_alias type: (identifier) @name) @definition
(enum_entry (identifier) @name) @definition
(function_declaration name: (identifier) @name) @definition
(function_declaration . (user_type (identifier) @receiver) . name: (identifier) @name) @definition
(source_file (property_declaration (variable_declaration (identifier) @name)) @definition)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @definition)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @definition)
(class_parameter ["val" "var"] (identifier) @name) @definition

(call_expression . (identifier) @name) @reference
(call_expression . (navigation_expression (identifier) @name .)) @reference
(user_type (identifier) @name) @reference
