(field_definition property: [(property_identifier) (private_property_identifier)] @name) @definition

(class_heritage [
  (identifier) @name
  (member_expression property: (property_identifier) @name)
]) @reference
