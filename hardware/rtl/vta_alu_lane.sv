// One lane of the tensor ALU: 2 cycles, one operation a cycle. Meaning: the formulas of include/vta/opcode.def.
`default_nettype none
module vta_alu_lane (
  input  wire logic        clk_i,
  input  wire logic        enable_i, // with the operands
  input  wire logic [2:0]  opcode_i,
  input  wire logic [31:0] x_i,
  input  wire logic [31:0] y_i,
  output logic [31:0]      result_o  // at the end of the second cycle
);
  // First cycle: everything but shifts and the sum of partial products.
  logic signed [31:0] x, y;
  logic [31:0] simple, value_q;
  logic less, left, far, shift_q, left_q, far_q;
  logic [4:0] amount, amount_q;

  assign x    = x_i;
  assign y    = y_i;
  assign less = x < y;
  always_comb begin
    simple = x_i + y_i;
    if (opcode_i == vta_pkg::ALU_MIN) simple = less ? x_i : y_i;
    if (opcode_i == vta_pkg::ALU_MAX) simple = less ? y_i : x_i;
    if (opcode_i == vta_pkg::ALU_SHR) simple = x_i;
  end
  assign left   = y_i[31];
  assign amount = left ? 5'(~y_i[4:0] + 5'd1) : y_i[4:0];
  // Beyond 31 places; -32 has no place in 5 bits either.
  assign far    = left ? ~&y_i[30:5] || y_i[4:0] == '0 : |y_i[30:5];

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      value_q  <= simple;
      shift_q  <= opcode_i == vta_pkg::ALU_SHR;
      left_q   <= left;
      far_q    <= far;
      amount_q <= amount;
    end
  end

  // Second cycle. A shift to the left is one to the right of the bits in reverse.
  logic [31:0] reversed, from, to, shifted;
  logic fill;
  always_comb begin
    for (int i = 0; i < 32; i++) reversed[i] = value_q[31-i];
  end
  assign fill = !left_q && value_q[31];
  assign from = left_q ? reversed : value_q;
  assign to   = far_q ? {32{fill}} : 32'($signed({fill, from}) >>> amount_q);
  always_comb begin
    for (int i = 0; i < 32; i++) shifted[i] = left_q ? to[31-i] : to[i];
  end

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
    assign result_o = mul_q ? {low_q[31:16] + cross0_q + cross1_q, low_q[15:0]} : shift_q ? shifted : value_q;
  end else begin : g_no_mul
    assign result_o = shift_q ? shifted : value_q;
  end
  if (vta_pkg::ALU_COUNT != 5) begin : g_check
    $error("vta_alu_lane: include/vta/opcode.def has operations that are not here");
  end
endmodule
`default_nettype wire
