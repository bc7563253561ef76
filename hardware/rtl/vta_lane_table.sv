// The tables of one lane of the ALU: written a line of the bus at a time, all lanes alike; read at an integer that is
// clipped to 8 bits. Meaning: TABLE in include/vta/opcode.def.
`default_nettype none
module vta_lane_table (
  input  wire logic                             clk_i,
  input  wire logic                             write_i,
  input  wire logic [vta_pkg::TABLE_ADDR_W-1:0] write_addr_i,
  input  wire logic [vta_pkg::BUS_BITS-1:0]     write_line_i,
  input  wire logic                             read_i,
  input  wire logic [7:0]                       table_i,
  input  wire logic [31:0]                      x_i,
  output logic [7:0]                            result_o  // a cycle late
);
  localparam int A = vta_pkg::TABLE_ADDR_W;
  localparam int B = vta_pkg::LOG_BUS_BYTES;

  logic [7:0] clipped, place;
  logic [15:0] entry;
  logic [A-1:0] read_addr;
  logic [vta_pkg::BUS_BITS-1:0] line;
  logic [B-1:0] byte_q;
  assign clipped   = x_i[31:7] == {25{x_i[31]}} ? x_i[7:0] : {x_i[31], {7{!x_i[31]}}};
  assign place     = {!clipped[7], clipped[6:0]}; // plus 128
  assign entry     = {table_i, place};
  assign read_addr = A'(entry >> B);
  logic unused;
  assign unused = ^entry;

  if (A <= 5) begin : g_lut
    // One table and a bus of 64 bits or more: next to nothing of a block of memory, and there is one for each lane.
    (* ram_style = "distributed" *) logic [vta_pkg::BUS_BITS-1:0] mem [0:(1<<A)-1];
    always_ff @(posedge clk_i) begin
      if (write_i) mem[write_addr_i] <= write_line_i;
    end
    always_ff @(posedge clk_i) begin
      if (read_i) line <= mem[read_addr];
    end
  end else begin : g_block
    vta_ram #(.W(vta_pkg::BUS_BITS), .LOG_DEPTH(A)) u_ram (
      .clk_i(clk_i), .write_i(write_i), .write_addr_i(write_addr_i), .write_data_i(write_line_i), .read_i(read_i),
      .read_addr_i(read_addr), .read_data_o(line)
    );
  end
  always_ff @(posedge clk_i) begin
    if (read_i) byte_q <= place[B-1:0];
  end
  always_comb begin
    result_o = line[7:0];
    for (int i = 1; i < (1 << B); i++) begin
      if (byte_q == B'(i)) result_o = line[8*i +: 8];
    end
  end
endmodule
`default_nettype wire
