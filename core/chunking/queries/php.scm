; Beside the grammar's own tags query.

(enum_declaration name: (name) @name) @definition
(enum_case name: (name) @name) @definition
(const_element (name) @name) @definition
(class_declaration
  name: (name) @receiver
  body: (declaration_list
    (method_declaration
      parameters: (formal_parameters
        (property_promotion_parameter name: (variable_name (name) @name)) @definition))))

(named_type [(name) @name (qualified_name (name) @name)]) @reference
(base_clause [(name) @name (qualified_name (name) @name)]) @reference
(class_interface_clause [(name) @name (qualified_name (name) @name)]) @reference
(object_creation_expression (name) @name) @reference
(function_call_expression function: (name) @name) @reference
(scoped_call_expression scope: [(name) @name (qualified_name (name) @name)]) @reference
(class_constant_access_expression . [(name) @name (qualified_name (name) @name)]) @reference
(attribute [(name) @name (qualified_name (name) @name)]) @reference
(use_declaration [(name) @name (qualified_name (name) @name)]) @reference
