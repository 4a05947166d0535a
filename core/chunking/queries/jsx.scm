; Components. Elements of HTML begin with a small letter.

([
  (jsx_opening_element name: [(identifier) @name (member_expression property: (property_identifier) @name)])
  (jsx_self_closing_element name: [(identifier) @name (member_expression property: (property_identifier) @name)])
] @reference
  (#match? @name "^[A-Z]"))
