// Turns the rows of a LOAD or STORE into bursts: the first is offered in the cycle after the start, then one a cycle. A
// burst ends with its row and before a multiple of the longest burst, so none crosses a page. Meaning: in_bursts of
// src/vta/device/tsim/bursts.c.
`default_nettype none
module vta_rows #(
  parameter int LOG_ELEM = 4,            // log2 bytes of an element in DRAM
  parameter int LOG_ELEM_ALT = LOG_ELEM, // the same of a start with alt_i
  parameter int SIZE_W = 16,             // of a row's elements
  parameter int ROWS_W = 16,             // of their number
  parameter int LEN_BITS = vta_pkg::LEN_BITS
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,
  input  wire logic              valid_i,
  output logic                   ready_o,
  input  wire logic              alt_i,
  input  wire logic [31:0]       base_i, // in elements
  input  wire logic [ROWS_W-1:0] y_size_i,
  input  wire logic [SIZE_W-1:0] x_size_i,
  input  wire logic [15:0]       x_stride_i,
  output logic                   valid_o,
  input  wire logic              ready_i,
  output logic [31:0]            addr_o,
  output logic [7:0]             len_o,  // beats - 1
  output logic                   over_o, // beyond 32 bits of address; narrower addresses wrap
  output logic                   last_o  // of this instruction
);
  localparam int LOG_BUS = vta_pkg::LOG_BUS_BYTES;
  localparam int SHIFT = LOG_ELEM > LOG_BUS ? LOG_ELEM - LOG_BUS : 0;
  localparam int LOG_LEAST = LOG_ELEM_ALT < LOG_ELEM ? LOG_ELEM_ALT : LOG_ELEM;
  localparam int WHOLE = vta_pkg::ADDR_W == 32 ? 1 : 0;
  localparam int TILE_W = WHOLE != 0 ? 33 : vta_pkg::ADDR_W - LOG_LEAST;
  localparam int LINE_W = WHOLE != 0 ? 33 + SHIFT : vta_pkg::ADDR_W - LOG_BUS;
  localparam int COUNT_W = SIZE_W + 1 + SHIFT;
  localparam int LONGEST = 1 << LEN_BITS;
  localparam int BEAT_W = LEN_BITS + 1;
  localparam int MAX_W = COUNT_W > BEAT_W ? COUNT_W : BEAT_W;

  logic active_q, alt_q, end_row, end_all, issue, start;
  logic [TILE_W-1:0] tile_q, tile_d, stride_q;
  logic [SIZE_W-1:0] size_q;
  logic [ROWS_W-1:0] rows_q; // those after this one
  logic [LINE_W-1:0] line_q, first, first_main;
  logic [COUNT_W-1:0] left_q, count, count_main;
  logic [BEAT_W-1:0] space, beats;

  assign start  = valid_i && ready_o;
  assign tile_d = start ? TILE_W'(base_i) : tile_q + stride_q;
  logic unused_base;
  assign unused_base = ^{base_i, x_stride_i};

  logic unused_skip;
  vta_row_lines #(
    .LOG_ELEM(LOG_ELEM), .LOG_BUS(LOG_BUS), .SIZE_W(SIZE_W), .LINE_W(LINE_W), .COUNT_W(COUNT_W)
  ) u_lines (
    .tile_i(33'(tile_d)), .size_i(start ? x_size_i : size_q), .first_o(first_main), .count_o(count_main),
    .skip_o(unused_skip)
  );
  if (LOG_ELEM_ALT == LOG_ELEM) begin : g_one
    assign first = first_main;
    assign count = count_main;
    logic unused_alt;
    assign unused_alt = alt_q;
  end else begin : g_two
    logic [LINE_W-1:0] first_alt;
    logic [COUNT_W-1:0] count_alt;
    logic unused_skip_alt;
    vta_row_lines #(
      .LOG_ELEM(LOG_ELEM_ALT), .LOG_BUS(LOG_BUS), .SIZE_W(SIZE_W), .LINE_W(LINE_W), .COUNT_W(COUNT_W)
    ) u_lines_alt (
      .tile_i(33'(tile_d)), .size_i(start ? x_size_i : size_q), .first_o(first_alt), .count_o(count_alt),
      .skip_o(unused_skip_alt)
    );
    assign first = (start ? alt_i : alt_q) ? first_alt : first_main;
    assign count = (start ? alt_i : alt_q) ? count_alt : count_main;
  end

  // Beats up to the next multiple of the longest burst.
  assign space   = BEAT_W'(LONGEST) - BEAT_W'(line_q & (LINE_W'(LONGEST) - 1'b1));
  assign end_row = MAX_W'(left_q) <= MAX_W'(space);
  assign beats   = LEN_BITS == 0 ? BEAT_W'(1) : end_row ? BEAT_W'(left_q) : space;
  assign end_all = end_row && rows_q == '0;
  assign issue   = valid_o && ready_i;
  assign ready_o = !active_q || (issue && end_all);
  assign valid_o = active_q;
  assign addr_o  = 32'(line_q) << LOG_BUS;
  assign over_o  = WHOLE != 0 && (line_q >> (32 - LOG_BUS)) != '0;
  assign len_o   = 8'(beats) - 8'd1;
  assign last_o  = end_all;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) active_q <= 1'b0;
    else if (start) active_q <= y_size_i != '0 && x_size_i != '0;
    else if (issue && end_all) active_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      alt_q    <= alt_i;
      size_q   <= x_size_i;
      stride_q <= TILE_W'(x_stride_i);
      rows_q   <= y_size_i - 1'b1;
    end else if (issue && end_row) begin
      rows_q <= rows_q - 1'b1;
    end
    if (start || (issue && end_row)) begin
      tile_q <= tile_d;
      line_q <= first;
      left_q <= count;
    end else if (issue) begin
      line_q <= line_q + LINE_W'(beats);
      left_q <= left_q - COUNT_W'(beats);
    end
  end
endmodule
`default_nettype wire
