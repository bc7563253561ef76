// The lines of the bus that a row of elements touches, without a register: its first line, how many, and the place of the
// row's first element in its line (in elements; 0 where an element fills a line).
`default_nettype none
module vta_row_lines #(
  parameter int LOG_ELEM = 4, // log2 bytes of an element
  parameter int LOG_BUS = 3,  // log2 bytes of a line
  parameter int SIZE_W = 16,
  parameter int LINE_W = 34,
  parameter int COUNT_W = 17,
  parameter int SKIP_W = 1
) (
  input  wire logic [32:0]       tile_i,
  input  wire logic [SIZE_W-1:0] size_i,
  output logic [LINE_W-1:0]      first_o,
  output logic [COUNT_W-1:0]     count_o,
  output logic [SKIP_W-1:0]      skip_o
);
  logic unused;
  assign unused = ^tile_i;
  if (LOG_ELEM >= LOG_BUS) begin : g_narrow
    assign first_o = LINE_W'(tile_i) << (LOG_ELEM - LOG_BUS);
    assign count_o = COUNT_W'(size_i) << (LOG_ELEM - LOG_BUS);
    assign skip_o  = '0;
  end else begin : g_wide
    localparam int LOG_TILES = LOG_BUS - LOG_ELEM;
    logic [32:0] line;
    logic [SIZE_W:0] end_in_line, lines;
    assign skip_o      = SKIP_W'(tile_i[LOG_TILES-1:0]);
    assign end_in_line = (SIZE_W+1)'(size_i) + (SIZE_W+1)'(tile_i[LOG_TILES-1:0]) + (SIZE_W+1)'((1 << LOG_TILES) - 1);
    assign line        = tile_i >> LOG_TILES;
    assign lines       = end_in_line >> LOG_TILES;
    assign first_o     = LINE_W'(line);
    assign count_o     = COUNT_W'(lines);
    logic unused_line;
    assign unused_line = ^line;
  end
endmodule
`default_nettype wire
