// Walks over the rows of a transfer in lines of LANES elements: the on-chip index of lane 0, and which lanes belong to the
// row. A row begins in the lane that its place in DRAM gives. One step a cycle.
`default_nettype none
module vta_walk #(
  parameter int LANES = 1,
  parameter int INDEX_W = 11,
  localparam int SIZE_W = INDEX_W + 1
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire logic               start_i,   // only when idle or ending
  input  wire logic [INDEX_W-1:0] index_i,   // of the first element
  input  wire logic [INDEX_W-1:0] advance_i, // on chip, from row to row
  input  wire logic [31:0]        base_i,    // in DRAM
  input  wire logic [SIZE_W-1:0]  y_size_i,
  input  wire logic [SIZE_W-1:0]  x_size_i,
  input  wire logic [15:0]        x_stride_i,
  output logic                    active_o,
  input  wire logic               step_i,
  output logic [INDEX_W-1:0]      index_o,
  output logic                    past_o,    // of the row all elements before index_o are done
  output logic [LANES-1:0]        mask_o,
  output logic                    last_o
);
  logic active_q, end_row;
  logic [SIZE_W-1:0] rows_q, size_q;
  logic [SIZE_W:0] left_q; // elements of the row from lane 0 on, with those before its first one
  logic [SIZE_W:0] lead; // those, of the row that begins
  logic [INDEX_W-1:0] index_q, row_q, advance_q;

  assign active_o = active_q;
  assign index_o  = index_q;
  assign end_row  = left_q <= (SIZE_W+1)'(LANES);
  assign last_o   = end_row && rows_q == '0;

  if (LANES == 1) begin : g_one
    assign lead = '0;
    assign mask_o = 1'b1;
    assign past_o = active_q;
    logic unused;
    assign unused = ^{base_i, x_stride_i};
  end else begin : g_many
    localparam int LANE_W = $clog2(LANES);
    logic first_q;
    logic [LANE_W-1:0] tile_q, stride_q, tile_d;
    assign tile_d = start_i ? base_i[LANE_W-1:0] : tile_q + stride_q;
    assign lead = (SIZE_W+1)'(tile_d);
    assign past_o = active_q && !first_q;
    always_comb begin
      for (int i = 0; i < LANES; i++) mask_o[i] = (SIZE_W+1)'(i) < left_q && (!first_q || LANE_W'(i) >= tile_q);
    end
    always_ff @(posedge clk_i) begin
      if (start_i) stride_q <= x_stride_i[LANE_W-1:0];
      if (start_i || (step_i && end_row)) tile_q <= tile_d;
      if (start_i || step_i) first_q <= start_i || end_row;
    end
    logic unused;
    assign unused = ^{base_i, x_stride_i};
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      size_q    <= x_size_i;
      advance_q <= advance_i;
      rows_q    <= y_size_i - 1'b1;
      row_q     <= index_i;
    end else if (step_i && end_row) begin
      rows_q <= rows_q - 1'b1;
      row_q  <= row_q + advance_q;
    end
    if (start_i || (step_i && end_row)) begin
      left_q  <= (start_i ? {1'b0, x_size_i} : {1'b0, size_q}) + lead;
      index_q <= (start_i ? index_i : row_q + advance_q) - INDEX_W'(lead);
    end else if (step_i) begin
      left_q  <= left_q - (SIZE_W+1)'(LANES);
      index_q <= index_q + INDEX_W'(LANES);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) active_q <= 1'b0;
    else if (start_i) active_q <= y_size_i != '0;
    else if (step_i && last_o) active_q <= 1'b0;
  end
endmodule
`default_nettype wire
