// A module queue: many entries in block RAM. An entry is at the output two cycles after it went in; when the queue is
// never empty, one goes in and one comes out every cycle.
`default_nettype none
module vta_queue #(
  parameter int W = 128,
  parameter int LOG_DEPTH = 9
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
  (* no_rw_check *) logic [W-1:0] mem [0:(1<<LOG_DEPTH)-1];
  logic [LOG_DEPTH:0] write_q, read_q; // read_q: the next entry to bring to the output
  logic valid_q, push, fill;
  logic [W-1:0] data_q;

  assign ready_o = (write_q ^ read_q) != {1'b1, {LOG_DEPTH{1'b0}}};
  assign valid_o = valid_q;
  assign data_o  = data_q;
  assign push    = valid_i && ready_o;
  assign fill    = write_q != read_q && (!valid_q || ready_i);

  always_ff @(posedge clk_i) begin
    if (push) mem[write_q[LOG_DEPTH-1:0]] <= data_i;
  end

  // An entry is read after the cycle of its write: the two never meet.
  always_ff @(posedge clk_i) begin
    if (fill) data_q <= mem[read_q[LOG_DEPTH-1:0]];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      valid_q <= 1'b0;
    end else begin
      if (push) write_q <= write_q + 1'b1;
      if (fill) read_q <= read_q + 1'b1;
      valid_q <= fill || (valid_q && !ready_i);
    end
  end
endmodule
`default_nettype wire
