// The data of a load: lines of the bus become writes of LANES elements to an on-chip memory, a line a cycle. An element
// wider than the bus is gathered in a register and written with its last line; of a line that holds several, only those
// of the row are written. Meaning: vt__load of src/vta/device/core/load.c, without the padding.
`default_nettype none
module vta_gather #(
  parameter int LOG_ELEM = 4, // log2 bytes of an element
  parameter int LANES = 1,    // elements of a line, 1 where an element is a line or more
  parameter int INDEX_W = 11,
  localparam int SIZE_W = INDEX_W + 1,
  localparam int ELEM_BITS = 8 << LOG_ELEM
) (
  input  wire logic                         clk_i,
  input  wire logic                         rst_ni,
  input  wire logic                         start_i, // only when idle or ending
  input  wire logic [INDEX_W-1:0]           index_i, // of the first element that comes from DRAM
  input  wire logic [INDEX_W-1:0]           advance_i,
  input  wire logic [31:0]                  base_i,
  input  wire logic [SIZE_W-1:0]            y_size_i,
  input  wire logic [SIZE_W-1:0]            x_size_i,
  input  wire logic [15:0]                  x_stride_i,
  output logic                              active_o,
  output logic                              end_o, // the last write of the instruction
  input  wire logic                         valid_i,
  output logic                              ready_o,
  input  wire logic [vta_pkg::BUS_BITS-1:0] data_i,
  output logic                              valid_o,
  input  wire logic                         ready_i,
  output logic [INDEX_W-1:0]                index_o, // of lane 0
  output logic                              past_o,  // of the row all elements before that one are written
  output logic [LANES-1:0]                  mask_o,
  output logic [LANES*ELEM_BITS-1:0]        data_o
);
  localparam int BUS = vta_pkg::BUS_BITS;
  localparam int LINES = ELEM_BITS > BUS ? ELEM_BITS / BUS : 1;

  logic active, whole, last; // whole: with this line an element is

  vta_walk #(.LANES(LANES), .INDEX_W(INDEX_W)) u_walk (
    .clk_i(clk_i), .rst_ni(rst_ni), .start_i(start_i), .index_i(index_i), .advance_i(advance_i), .base_i(base_i),
    .y_size_i(y_size_i), .x_size_i(x_size_i), .x_stride_i(x_stride_i), .active_o(active), .step_i(valid_o && ready_i),
    .index_o(index_o), .past_o(past_o), .mask_o(mask_o), .last_o(last)
  );
  assign active_o = active;
  assign valid_o  = active && valid_i && whole;
  assign ready_o  = active && (!whole || ready_i);
  assign end_o    = valid_o && ready_i && last;

  if (LINES == 1) begin : g_one
    assign whole  = 1'b1;
    assign data_o = data_i;
  end else begin : g_many
    localparam int LINE_W = $clog2(LINES);
    logic [LINE_W-1:0] line_q;
    logic [ELEM_BITS-BUS-1:0] before_q;
    assign whole  = line_q == LINE_W'(LINES - 1);
    assign data_o = {data_i, before_q};
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) line_q <= '0;
      else if (valid_i && ready_o) line_q <= line_q + 1'b1;
    end
    always_ff @(posedge clk_i) begin
      for (int i = 0; i < LINES - 1; i++) begin
        if (valid_i && ready_o && line_q == LINE_W'(i)) before_q[i*BUS +: BUS] <= data_i;
      end
    end
  end
endmodule
`default_nettype wire
