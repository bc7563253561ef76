"""Programs of the original stack import this module to find TVM and VTA; here both are found already."""
