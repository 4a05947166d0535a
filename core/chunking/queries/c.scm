; For C++ too. A declarator may stand within those of pointers, up to three of them.

(struct_specifier name: (type_identifier) @name body: (_)) @definition
(union_specifier name: (type_identifier) @name body: (_)) @definition
(enum_specifier name: (type_identifier) @name body: (_)) @definition
(enumerator name: (identifier) @name) @definition
(type_definition declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
  (array_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
]) @definition
(preproc_def name: (identifier) @name) @definition
(preproc_function_def name: (identifier) @name) @definition

(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: [
      (function_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    ])
  ])
]) @definition

; Prototypes are how a header defines its functions.
(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
]) @definition

; Variables, other than those of a function.
(translation_unit (declaration declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (init_declarator declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
  ])
]) @definition)

(field_declaration declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (field_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
]) @definition

(call_expression function: [
  (identifier) @name
  (field_expression field: (field_identifier) @name)
]) @reference
(type_identifier) @name @reference
; Functions named in tables of them.
(initializer_pair value: (identifier) @name) @reference
