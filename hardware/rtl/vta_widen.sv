// ACC_8BIT: a line of 8-bit scalars becomes four lines of 32-bit ones, sign-extended, so that what follows sees the lines
// that an ordinary load of acc would bring: of each row only those which it touches. Other loads pass through.
// Meaning: read_row of src/vta/device/core/load.c.
`default_nettype none
module vta_widen #(
  parameter int LOG_ELEM = 6, // log2 bytes of an acc element
  parameter int SIZE_W = 12   // of rows, and of their elements
) (
  input  wire logic                         clk_i,
  input  wire logic                         rst_ni,
  // An instruction whose rows come next; taken only while idle.
  input  wire logic                         start_i,
  input  wire logic                         alt_i,
  input  wire logic [31:0]                  base_i,
  input  wire logic [SIZE_W-1:0]            y_size_i,
  input  wire logic [SIZE_W-1:0]            x_size_i,
  input  wire logic [15:0]                  x_stride_i,
  input  wire logic                         valid_i,
  output logic                              ready_o,
  input  wire logic [vta_pkg::BUS_BITS-1:0] data_i,
  output logic                              valid_o,
  input  wire logic                         ready_i,
  output logic [vta_pkg::BUS_BITS-1:0]      data_o
);
  localparam int LOG_BUS = vta_pkg::LOG_BUS_BYTES;
  localparam int SHIFT = LOG_ELEM > LOG_BUS ? LOG_ELEM - LOG_BUS : 0;
  localparam int COUNT_W = SIZE_W + 1 + SHIFT;
  localparam int SCALARS = vta_pkg::BUS_BITS / 32;

  logic alt_q, step, end_row;
  logic [15:0] stride_q;
  logic [SIZE_W-1:0] size_q, rows_q;
  logic [32:0] tile_q, tile_d;
  logic [COUNT_W-1:0] left_q, count;
  logic [1:0] quarter_q, first;
  logic [8*SCALARS-1:0] part;
  logic unused_skip;

  assign tile_d = start_i ? {1'b0, base_i} : tile_q + {17'b0, stride_q};
  vta_row_lines #(
    .LOG_ELEM(LOG_ELEM), .LOG_BUS(LOG_BUS), .SIZE_W(SIZE_W), .LINE_W(2), .COUNT_W(COUNT_W)
  ) u_lines (
    .tile_i(tile_d), .size_i(start_i ? x_size_i : size_q), .first_o(first), .count_o(count), .skip_o(unused_skip)
  );

  assign end_row = left_q == COUNT_W'(1);
  assign step    = alt_q && valid_i && ready_i;
  assign valid_o = valid_i;
  assign ready_o = ready_i && (!alt_q || quarter_q == 2'd3 || end_row);

  always_comb begin
    part = data_i[8*SCALARS*0 +: 8*SCALARS];
    if (quarter_q == 2'd1) part = data_i[8*SCALARS*1 +: 8*SCALARS];
    if (quarter_q == 2'd2) part = data_i[8*SCALARS*2 +: 8*SCALARS];
    if (quarter_q == 2'd3) part = data_i[8*SCALARS*3 +: 8*SCALARS];
    data_o = data_i;
    if (alt_q) begin
      for (int i = 0; i < SCALARS; i++) data_o[32*i +: 32] = {{24{part[8*i+7]}}, part[8*i +: 8]};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) alt_q <= 1'b0;
    else if (start_i) alt_q <= alt_i && y_size_i != '0;
    else if (step && end_row && rows_q == '0) alt_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      size_q   <= x_size_i;
      stride_q <= x_stride_i;
      rows_q   <= y_size_i - 1'b1;
    end else if (step && end_row) begin
      rows_q <= rows_q - 1'b1;
    end
    if (start_i || (step && end_row)) begin
      tile_q    <= tile_d;
      left_q    <= count;
      quarter_q <= first;
    end else if (step) begin
      left_q    <= left_q - 1'b1;
      quarter_q <= quarter_q + 1'b1;
    end
  end
endmodule
`default_nettype wire
