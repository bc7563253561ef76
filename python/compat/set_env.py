"""Programs for TVM's VTA import this module to find TVM and VTA; here both are found already."""
