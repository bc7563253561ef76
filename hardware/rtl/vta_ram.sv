// One block of on-chip memory: one write port, one read port a cycle late. Nobody reads where it is being written, or the
// reader does not use what it gets.
`default_nettype none
module vta_ram #(
  parameter int W = 32,
  parameter int LOG_DEPTH = 8
) (
  input  wire logic                 clk_i,
  input  wire logic                 write_i,
  input  wire logic [LOG_DEPTH-1:0] write_addr_i,
  input  wire logic [W-1:0]         write_data_i,
  input  wire logic                 read_i,
  input  wire logic [LOG_DEPTH-1:0] read_addr_i,
  output logic [W-1:0]              read_data_o
);
  (* no_rw_check *) logic [W-1:0] mem [0:(1<<LOG_DEPTH)-1];

  always_ff @(posedge clk_i) begin
    if (write_i) mem[write_addr_i] <= write_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (read_i) read_data_o <= mem[read_addr_i];
  end
endmodule
`default_nettype wire
