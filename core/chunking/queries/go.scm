; Beside the grammar's own tags query: methods with the type they belong to, what types hold, constants and variables.

(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @receiver
        (generic_type type: (type_identifier) @receiver)
        (pointer_type [
          (type_identifier) @receiver
          (generic_type type: (type_identifier) @receiver)
        ])
      ]))
  name: (field_identifier) @name) @definition

(type_alias name: (type_identifier) @name) @definition
(type_spec type: (struct_type
  (field_declaration_list (field_declaration name: (field_identifier) @name) @definition)))
(type_spec type: (interface_type (method_elem name: (field_identifier) @name) @definition))
(source_file (const_declaration (const_spec name: (identifier) @name) @definition))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition)))
