// A queue of a few entries in registers or LUT memory. What goes in at one clock edge is at the output after it.
`default_nettype none
module vta_fifo #(
  parameter int W = 8,
  parameter int LOG_DEPTH = 1
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  output logic              ready_o,
  input  wire logic [W-1:0] data_i,
  output logic              valid_o,
  input  wire logic         ready_i,
  output logic [W-1:0]      data_o
);
  logic [W-1:0] mem [0:(1<<LOG_DEPTH)-1];
  localparam int AT_W = LOG_DEPTH > 0 ? LOG_DEPTH : 1;
  logic [LOG_DEPTH:0] write_q, read_q;
  logic [AT_W-1:0] write_at, read_at;

  assign write_at = AT_W'(write_q & (LOG_DEPTH+1)'((1 << LOG_DEPTH) - 1));
  assign read_at  = AT_W'(read_q & (LOG_DEPTH+1)'((1 << LOG_DEPTH) - 1));
  assign ready_o = (write_q ^ read_q) != (LOG_DEPTH+1)'(1 << LOG_DEPTH);
  assign valid_o = write_q != read_q;
  assign data_o  = mem[read_at];

  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) mem[write_at] <= data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (valid_i && ready_o) write_q <= write_q + 1'b1;
      if (valid_o && ready_i) read_q <= read_q + 1'b1;
    end
  end

`ifdef FORMAL
  // An entry chosen by the solver comes out in its turn and with its contents.
  (* anyconst *) logic [LOG_DEPTH:0] chosen;
  logic [LOG_DEPTH:0] count, ahead;
  logic [W-1:0] kept_q;
  logic inside_q, past_q = 1'b0;
  assign count = write_q - read_q;
  assign ahead = chosen - read_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inside_q <= 1'b0;
    else if (valid_i && ready_o && write_q == chosen) inside_q <= 1'b1;
    else if (valid_o && ready_i && read_q == chosen) inside_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (valid_i && ready_o && write_q == chosen) kept_q <= data_i;
    if (rst_ni) begin
      fits: assert (count <= (LOG_DEPTH+1)'(1 << LOG_DEPTH));
      is_there: assert (inside_q == (ahead < count));
      keeps: assert (!inside_q || mem[AT_W'(chosen & (LOG_DEPTH+1)'((1 << LOG_DEPTH) - 1))] == kept_q);
      comes_out: assert (!(valid_o && read_q == chosen) || (inside_q && data_o == kept_q));
      if (past_q && $past(rst_ni && valid_o && !ready_i)) stays: assert (valid_o && $stable(data_o));
      full: cover (!ready_o);
      passed: cover (past_q && $past(inside_q) && !inside_q);
    end
  end
`endif
endmodule
`default_nettype wire
