; Beside what holds for C.

(namespace_definition name: (_) @name) @scope
(class_specifier name: (type_identifier) @name body: (_)) @definition
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition
(alias_declaration name: (type_identifier) @name) @definition
(concept_definition name: (identifier) @name) @definition

; Inside a class.
(function_definition declarator: [
  (function_declarator declarator: [(field_identifier) (destructor_name) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
]) @definition
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
]) @definition

; Outside of their class; a name may be qualified in turn.
(function_definition declarator: [
  (function_declarator declarator: (qualified_identifier scope: (_) @receiver name: (_) @name))
  (pointer_declarator declarator: (function_declarator
    declarator: (qualified_identifier scope: (_) @receiver name: (_) @name)))
  (reference_declarator (function_declarator
    declarator: (qualified_identifier scope: (_) @receiver name: (_) @name)))
]) @definition

(declaration_list (declaration declarator: [
  (identifier) @name
  (init_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (identifier) @name)
  ])
]) @definition)

(call_expression function: [
  (qualified_identifier name: (identifier) @name)
  (qualified_identifier name: (template_function name: (identifier) @name))
  (qualified_identifier name: (qualified_identifier name: (identifier) @name))
  (template_function name: (identifier) @name)
  (field_expression field: (template_method name: (field_identifier) @name))
]) @reference
