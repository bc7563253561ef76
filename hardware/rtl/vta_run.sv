// The state of a run: launched, finished, how long it took, how far each unit came, what went wrong.
`default_nettype none
module vta_run (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        launch_i,
  input  wire logic        finish_i,  // FINISH was executed
  input  wire logic        quiet_i,   // nothing is queued or under way
  input  wire logic [2:0]  retire_i,  // an instruction of load, compute, store ended
  input  wire logic [3:0]  active_i,  // fetch, load, compute, store do something
  input  wire logic [5:0]  fault_i,   // a read of client 0 to 4, or a write, was answered by an error or has no address
  output logic             running_o,
  output logic             finished_o,
  output logic [31:0]      cycles_o,
  output logic [31:0]      status_o,
  output logic [3*vta_pkg::INSN_COUNT_W-1:0] retired_o
);
  logic running_q, finish_q, finished_q;
  logic [5:0] fault_q;
  logic [31:0] cycles_q;
  logic [vta_pkg::INSN_COUNT_W-1:0] load_q, compute_q, store_q;

  assign running_o  = running_q;
  assign finished_o = finished_q;
  assign cycles_o   = cycles_q;
  assign status_o   = {16'b0, 2'b0, fault_q, 4'b0, active_i};
  assign retired_o  = {store_q, compute_q, load_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q  <= 1'b0;
      finish_q   <= 1'b0;
      finished_q <= 1'b0;
      fault_q    <= '0;
      cycles_q   <= '0;
      load_q     <= '0;
      compute_q  <= '0;
      store_q    <= '0;
    end else if (launch_i) begin
      running_q  <= 1'b1;
      finish_q   <= 1'b0;
      finished_q <= 1'b0;
      fault_q    <= '0;
      cycles_q   <= 32'd1;
      load_q     <= '0;
      compute_q  <= '0;
      store_q    <= '0;
    end else begin
      if (finish_i) finish_q <= 1'b1;
      if (running_q && finish_q && quiet_i) begin
        running_q  <= 1'b0;
        finished_q <= 1'b1;
      end
      fault_q <= fault_q | fault_i;
      if (running_q && !finish_q && !finish_i) cycles_q <= cycles_q + 1'b1;
      if ((fault_q | fault_i) == '0) begin // they tell which instruction failed
        load_q    <= load_q + vta_pkg::INSN_COUNT_W'(retire_i[0]);
        compute_q <= compute_q + vta_pkg::INSN_COUNT_W'(retire_i[1]);
        store_q   <= store_q + vta_pkg::INSN_COUNT_W'(retire_i[2]);
      end
    end
  end
endmodule
`default_nettype wire
