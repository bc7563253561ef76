# Makes the model of the design beside this file: make -f vta_model.mk OUTPUT=model.so OPTIONS="..." FLAGS="..."
VERILATOR = verilator
MODULES := $(shell cat vta.f)

$(OUTPUT): $(MODULES) vta_model.cpp model.h
	$(VERILATOR) --cc --exe --build -O3 --top-module vta_top --Mdir obj $(OPTIONS) -CFLAGS "$(FLAGS) -I.." \
	    -LDFLAGS "-shared -fPIC" -o ../$(OUTPUT) $(MODULES) vta_model.cpp
