// One lane of the tensor ALU: 2 cycles, one operation a cycle. Meaning: the formulas of include/vta/opcode.def.
`default_nettype none
module vta_alu_lane (
  input  wire logic        clk_i,
  input  wire logic        enable_i, // with the operands
  input  wire logic [2:0]  opcode_i,
  input  wire logic [31:0] x_i,
  input  wire logic [31:0] y_i,
  // Lines of tables; only where there are some.
  input  wire logic        table_write_i,
  input  wire logic [vta_pkg::TABLE_ADDR_W-1:0] table_addr_i,
  input  wire logic [vta_pkg::BUS_BITS-1:0] table_line_i,
  output logic [31:0]      result_o  // at the end of the second cycle
);
  function automatic logic [31:0] reverse(input logic [31:0] a);
    logic [31:0] b, c, d, e;
    b = ((a >> 1) & 32'h5555_5555) | ((a & 32'h5555_5555) << 1);
    c = ((b >> 2) & 32'h3333_3333) | ((b & 32'h3333_3333) << 2);
    d = ((c >> 4) & 32'h0f0f_0f0f) | ((c & 32'h0f0f_0f0f) << 4);
    e = ((d >> 8) & 32'h00ff_00ff) | ((d & 32'h00ff_00ff) << 8);
    reverse = {e[15:0], e[31:16]};
  endfunction

  // First cycle: everything but shifts and the sum of partial products.
  logic signed [31:0] x, y;
  logic [31:0] value_q;
  logic less, left, far, shifts, takes_y, adds, left_q, none_q;
  logic [4:0] amount, amount_q;

  assign x       = x_i;
  assign y       = y_i;
  assign less    = x < y;
  assign shifts  = opcode_i == vta_pkg::ALU_SHR;
  assign adds    = opcode_i == vta_pkg::ALU_ADD;
  assign takes_y = (opcode_i == vta_pkg::ALU_MIN && !less) || (opcode_i == vta_pkg::ALU_MAX && less);
  assign left    = y_i[31];
  assign amount  = left ? 5'(~y_i[4:0] + 5'd1) : y_i[4:0];
  // Beyond 31 places; -32 has no place in 5 bits either.
  assign far     = left ? ~&y_i[30:5] || y_i[4:0] == '0 : |y_i[30:5];

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      value_q  <= adds ? x_i + y_i : takes_y ? y_i : x_i;
      left_q   <= shifts && left;
      none_q   <= far; // with left_q: nothing is left
      amount_q <= !shifts ? 5'd0 : far && !left ? 5'd31 : amount;
    end
  end

  // A table's entry, in the second cycle.
  logic table_q;
  logic [7:0] entry;
  if (vta_pkg::TABLES != 0) begin : g_table
    vta_lane_table u_table (
      .clk_i(clk_i), .write_i(table_write_i), .write_addr_i(table_addr_i), .write_line_i(table_line_i),
      .read_i(enable_i), .table_i(y_i[7:0]), .x_i(x_i), .result_o(entry)
    );
    always_ff @(posedge clk_i) begin
      if (enable_i) table_q <= opcode_i == vta_pkg::ALU_TABLE;
    end
  end else begin : g_no_table
    logic unused;
    assign table_q = 1'b0;
    assign entry   = '0;
    assign unused  = ^{table_write_i, table_addr_i, table_line_i};
  end

  // Second cycle. A shift to the left is one to the right of the bits in reverse; what is not shifted goes by 0 places.
  logic [31:0] from, to;
  logic fill;
  assign fill = !left_q && value_q[31];
  assign from = table_q ? {{24{entry[7]}}, entry} : !left_q ? value_q : none_q ? '0 : reverse(value_q);
  assign to   = 32'($signed({fill, from}) >>> amount_q);

  if (vta_pkg::ALU_HAS_MUL) begin : g_mul
    logic [31:0] low_q;
    logic [15:0] cross0_q, cross1_q;
    logic mul_q;
    always_ff @(posedge clk_i) begin
      if (enable_i) begin
        mul_q <= opcode_i == vta_pkg::ALU_MUL;
        if (opcode_i == vta_pkg::ALU_MUL) begin
          low_q    <= 32'(x_i[15:0]) * 32'(y_i[15:0]);
          cross0_q <= x_i[31:16] * y_i[15:0];
          cross1_q <= x_i[15:0] * y_i[31:16];
        end
      end
    end
    assign result_o = mul_q ? {low_q[31:16] + cross0_q + cross1_q, low_q[15:0]} : left_q ? reverse(to) : to;
  end else begin : g_no_mul
    assign result_o = left_q ? reverse(to) : to;
  end
  if (vta_pkg::ALU_COUNT != 6) begin : g_check
    $error("vta_alu_lane: include/vta/opcode.def has operations that are not here");
  end
endmodule
`default_nettype wire
