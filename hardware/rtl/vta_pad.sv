// The padding of a load: zero elements, one in every cycle in which the memory takes no data. They lie in runs: before
// the first row's data, between the data of two rows, after the last row's. Meaning: zeros() of src/vta/device/core/load.c.
`default_nettype none
module vta_pad #(
  parameter int INDEX_W = 11
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire logic               start_i,   // only when idle or ending
  input  wire logic [INDEX_W-1:0] index_i,   // sram_base
  input  wire logic [INDEX_W:0]   before_i,  // elements before the first row's data
  input  wire logic [INDEX_W:0]   after_i,   // elements after the last row's
  input  wire logic [4:0]         between_i, // elements between the data of two rows
  input  wire logic [INDEX_W:0]   y_size_i,
  input  wire logic [INDEX_W:0]   x_size_i,
  output logic                    active_o,
  output logic                    end_o,
  output logic                    valid_o,
  input  wire logic               ready_i,
  output logic [INDEX_W-1:0]      index_o
);
  logic active_q, last, end_run;
  logic [INDEX_W-1:0] index_q, size_q;
  logic [INDEX_W:0] left_q, after_q;
  logic [4:0] between_q;
  logic [INDEX_W:0] rows_q; // rows of data that are still before us

  assign active_o = active_q;
  assign valid_o  = active_q && left_q != '0;
  assign index_o  = index_q;
  assign last     = rows_q == '0;
  assign end_run  = left_q == '0 || (left_q == (INDEX_W+1)'(1) && ready_i);
  assign end_o    = active_q && end_run && last;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      index_q   <= index_i;
      size_q    <= INDEX_W'(x_size_i);
      left_q    <= before_i;
      after_q   <= after_i;
      between_q <= between_i;
      rows_q    <= y_size_i;
    end else if (active_q && end_run) begin
      rows_q  <= rows_q - 1'b1;
      left_q  <= rows_q == (INDEX_W+1)'(1) ? after_q : (INDEX_W+1)'(between_q);
      index_q <= index_q + INDEX_W'(left_q) + size_q;
    end else if (valid_o && ready_i) begin
      left_q  <= left_q - 1'b1;
      index_q <= index_q + 1'b1;
    end
  end

  logic unused;
  assign unused = ^x_size_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) active_q <= 1'b0;
    else if (start_i) active_q <= before_i != '0 || after_i != '0 || (between_i != '0 && y_size_i > (INDEX_W+1)'(1));
    else if (end_o) active_q <= 1'b0;
  end
endmodule
`default_nettype wire
