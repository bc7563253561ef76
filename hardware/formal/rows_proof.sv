// Bursts of a transfer's rows: none crosses a multiple of the longest burst, an offered one stays as it is until it is taken,
// and the unit comes back to idle.
`default_nettype none
module rows_proof (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic        valid_i,
  input wire logic [31:0] base_i,
  input wire logic [3:0]  x_size_i,
  input wire logic [15:0] y_size_i,
  input wire logic [15:0] x_stride_i,
  input wire logic        ready_i
);
  logic ready, valid, over, last;
  logic [31:0] addr;
  logic [7:0] len;
  vta_rows #(.LOG_ELEM(4), .SIZE_W(4), .LEN_BITS(2)) u_rows (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready), .alt_i(1'b0), .base_i(base_i),
    .x_size_i(x_size_i), .y_size_i(y_size_i), .x_stride_i(x_stride_i), .valid_o(valid), .ready_i(ready_i),
    .addr_o(addr), .len_o(len), .over_o(over), .last_o(last)
  );

  localparam int LOG_BUS = vta_pkg::LOG_BUS_BYTES;
  logic past_q = 1'b0;
  logic [31:0] last_line;
  assign last_line = (addr >> LOG_BUS) + 32'(len);
  always_ff @(posedge clk_i) past_q <= 1'b1;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    if (past_q) assume (rst_ni);
    assume (y_size_i <= 16'd3);
  end
  always_ff @(posedge clk_i) begin
    if (past_q && rst_ni && $past(rst_ni)) begin
      if (valid) begin
        within: assert ((addr >> (LOG_BUS + 2)) == (last_line >> 2));
        short_enough: assert (len < 8'd4);
      end
      if ($past(valid && !ready_i)) stable: assert (valid && $stable(addr) && $stable(len) && $stable(last));
      if ($past(valid && ready_i && last && !valid_i)) idle: assert (!valid && ready);
      two_rows: cover (valid && ready_i && !last && $past(valid && ready_i && !last));
      ended: cover (valid && ready_i && last);
    end
  end
  logic unused;
  assign unused = over;
endmodule
`default_nettype wire
