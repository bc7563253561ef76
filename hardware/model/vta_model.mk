# Makes the model of the design beside this file: make -f vta_model.mk OUTPUT=model.so OPTIONS="..." FLAGS="..."
# With NETLIST=yes of what Yosys makes of it: its words and memories, before they become gates.
VERILATOR = verilator
YOSYS = yosys
# FLAGS come after OPT_FAST: no -O in them. clang's code runs 1.1 times as fast as gcc's, at -O3 1.3 times as fast as at the
# default of Verilator, -Os. Counting coverage makes ten times the code, which takes minutes to optimize.
COMPILER := $(or $(notdir $(firstword $(shell command -v clang++-19 clang++ g++))),g++)
FAST := $(if $(findstring --coverage,$(OPTIONS)),-O0,-O3)
SOURCES := $(shell cat vta.f)
MODULES := $(if $(NETLIST),netlist.v,$(SOURCES))

$(OUTPUT): $(MODULES) vta_model.cpp vta_extend.h model.h
	$(VERILATOR) --cc --exe --build -O3 --top-module vta_top --Mdir obj $(OPTIONS) $(if $(NETLIST),-Wno-fatal -Wno-lint) \
	    -MAKEFLAGS "OPT_FAST=$(FAST) OPT_SLOW=-O0 CXX=$(COMPILER) LINK=$(COMPILER)" \
	    -CFLAGS "$(FLAGS) $(if $(NETLIST),-DVTA_NETLIST=1) -I.. -include ../vta_extend.h" -LDFLAGS "-shared -fPIC" -o ../$(OUTPUT) $(MODULES) vta_model.cpp

netlist.v: $(SOURCES)
	$(YOSYS) -q -e 'implicitly declared' -p "read_verilog -sv $(SOURCES); chformal -remove; prep -top vta_top; \
	    write_verilog -noattr netlist.v"
