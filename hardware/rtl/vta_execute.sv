// GEMM and tensor ALU: one pipeline, a micro-op a cycle, instructions one right after the other.
//   U   the micro-op's word is there; its indices are summed up; inp and wgt are read
//   GEMM G1 products, G2.. levels of the adder tree, GE the sum meets acc[dst], W it is written
//   ALU  X waits for what it depends on and reads acc[dst] and acc[src], A1 A2 the operation, W it is written
// A GEMM takes the sum of the two before it, if those are for the same element, from W and the stage after: it never
// waits. An ALU micro-op waits in X for GEMMs under way and for ALU micro-ops that write what it reads.
`default_nettype none
module vta_execute (
  input  wire logic                             clk_i,
  input  wire logic                             rst_ni,
  input  wire logic                             valid_i,
  output logic                                  ready_o,
  input  wire logic                             bubble_i,  // an instruction without work, in its turn
  input  wire logic                             finish_i,  // it is FINISH
  input  wire logic [1:0]                       post_i,    // tokens to post: {next, prev}
  input  wire logic [vta_pkg::INSN_BITS-1:0]    insn_i,
  output logic                                  idle_o,
  output logic [vta_pkg::UOP_INDEX_W-1:0]       uop_first_o, // micro-ops of the instruction whose turn it is
  output logic [vta_pkg::UOP_INDEX_W-1:0]       uop_final_o,
  output logic                                  uop_none_o, // it reads none
  output logic                                  uop_read_o,
  output logic [vta_pkg::UOP_INDEX_W-1:0]       uop_index_o,
  input  wire logic [31:0]                      uop_i,
  output logic                                  operand_read_o, // inp and wgt
  output logic [vta_pkg::INP_INDEX_W-1:0]       inp_index_o,
  output logic [vta_pkg::WGT_INDEX_W-1:0]       wgt_index_o,
  input  wire logic [vta_pkg::INP_BITS-1:0]     inp_i,
  input  wire logic [vta_pkg::WGT_BITS-1:0]     wgt_i,
  output logic                                  dst_read_o, // acc[dst]
  output logic [vta_pkg::ACC_INDEX_W-1:0]       dst_index_o,
  input  wire logic [vta_pkg::ACC_BITS-1:0]     dst_i,
  output logic                                  src_read_o, // acc[src], when src_free_i
  input  wire logic                             src_free_i,
  output logic [vta_pkg::ACC_INDEX_W-1:0]       src_index_o,
  input  wire logic [vta_pkg::ACC_BITS-1:0]     src_i,
  // Lines of tables, for the lanes of the ALU.
  input  wire logic                             table_write_i,
  input  wire logic [vta_pkg::TABLE_ADDR_W-1:0] table_addr_i,
  input  wire logic [vta_pkg::BUS_BITS-1:0]     table_line_i,
  output logic                                  write_o,
  output logic [vta_pkg::ACC_INDEX_W-1:0]       write_index_o,
  output logic [vta_pkg::ACC_BITS-1:0]          write_data_o,
  output logic [1:0]                            post_o,
  output logic                                  retire_o,
  output logic                                  finish_o
);
  localparam int A = vta_pkg::ACC_INDEX_W;
  localparam int S = vta_pkg::SRC_INDEX_W;
  localparam int W = vta_pkg::WGT_INDEX_W;
  localparam int LANES = vta_pkg::BATCH * vta_pkg::BLOCK_OUT;
  localparam int LEVELS = $clog2(vta_pkg::BLOCK_IN);
  localparam int E = LEVELS + 2; // the stage GE
  localparam int FULL_W = vta_pkg::INP_W + vta_pkg::WGT_W + LEVELS;
  localparam int SUM_W = FULL_W < 32 ? FULL_W : 32;

  // ---- U ----
  logic u_valid, u_ready, u_last, u_bubble, u_gemm_q, u_reset_q, u_imm_q, u_finish_q, u_go, u_gemm_go;
  logic [A-1:0] u_dst, base_dst;
  logic [S-1:0] u_src, base_src;
  logic [W-1:0] u_wgt, base_wgt;
  logic [1:0] u_post_q;
  logic [2:0] u_op_q;
  logic [15:0] u_value_q;

  vta_sequencer u_sequencer (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .bubble_i(bubble_i), .insn_i(insn_i),
    .read_o(uop_read_o), .read_index_o(uop_index_o), .valid_o(u_valid), .ready_i(u_ready), .last_o(u_last),
    .bubble_o(u_bubble), .dst_o(base_dst), .src_o(base_src), .wgt_o(base_wgt),
    .first_o(uop_first_o), .final_o(uop_final_o)
  );
  assign uop_none_o = u_bubble;
  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o) begin
      u_gemm_q   <= insn_i[vta_pkg::OPCODE_AT +: vta_pkg::OPCODE_W] == vta_pkg::OP_GEMM;
      u_reset_q  <= insn_i[vta_pkg::GEMM_RESET_REG_AT];
      u_op_q     <= insn_i[vta_pkg::ALU_ALU_OPCODE_AT +: vta_pkg::ALU_ALU_OPCODE_W];
      u_imm_q    <= insn_i[vta_pkg::ALU_USE_IMM_AT];
      u_value_q  <= insn_i[vta_pkg::ALU_IMM_AT +: vta_pkg::ALU_IMM_W];
      u_post_q   <= post_i;
      u_finish_q <= finish_i;
    end
  end
  logic unused;
  assign unused = ^uop_i;
  assign u_dst = uop_i[vta_pkg::UOP_DST_AT +: A] + base_dst;
  assign u_src = uop_i[vta_pkg::UOP_SRC_AT +: S] + base_src;
  assign u_wgt = uop_i[vta_pkg::UOP_WGT_AT +: W] + base_wgt;

  logic x_valid_q, x_go;
  assign u_ready   = !x_valid_q || x_go;
  assign u_go      = u_valid && u_ready;
  assign u_gemm_go = u_go && u_gemm_q && !u_bubble;
  assign operand_read_o = u_gemm_go && !u_reset_q;
  assign inp_index_o    = u_src[vta_pkg::INP_INDEX_W-1:0];
  assign wgt_index_o    = u_wgt;

  // ---- G1 to GE ----
  logic [E:1] g_valid_q, g_reset_q, g_last_q;
  logic [2*E-1:0] g_post_q;
  logic [A*E-1:0] g_dst_q; // that of stage k from A * (k-1) on
  logic [LANES*SUM_W-1:0] sum;
  logic [LANES-1:0] carry;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) g_valid_q <= '0;
    else g_valid_q <= {g_valid_q[E-1:1], u_gemm_go};
  end
  always_ff @(posedge clk_i) begin
    g_reset_q <= {g_reset_q[E-1:1], u_reset_q};
    g_last_q  <= {g_last_q[E-1:1], u_last};
    g_post_q  <= {g_post_q[2*E-3:0], u_post_q};
    g_dst_q   <= {g_dst_q[A*(E-1)-1:0], u_dst};
  end
  vta_gemm #(.SUM_W(SUM_W)) u_gemm (
    .clk_i(clk_i), .enable_i(g_valid_q[E-1:1] & ~g_reset_q[E-1:1]), .inp_i(inp_i), .wgt_i(wgt_i), .sum_o(sum),
    .carry_o(carry)
  );

  // ---- X ----
  logic x_bubble_q, x_last_q, x_finish_q, x_imm_q, wait_x;
  logic [A-1:0] x_dst_q, x_src_q;
  logic [1:0] x_post_q;
  logic [2:0] x_op_q;
  logic [15:0] x_value_q;
  logic a1_valid_q, a2_valid_q, a1_bubble_q, a2_bubble_q, a1_last_q, a2_last_q, a1_finish_q, a2_finish_q, a1_imm_q;
  logic [A-1:0] a1_dst_q, a2_dst_q;
  logic [1:0] a1_post_q, a2_post_q;
  logic [2:0] a1_op_q;
  logic [15:0] a1_value_q;
  logic w_valid_q, w2_valid_q;
  logic [A-1:0] w_dst_q, w2_dst_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) x_valid_q <= 1'b0;
    else if (u_ready) x_valid_q <= u_valid && !u_gemm_go;
  end
  always_ff @(posedge clk_i) begin
    if (u_go) begin
      x_bubble_q <= u_bubble;
      x_last_q   <= u_last;
      x_post_q   <= u_post_q;
      x_finish_q <= u_finish_q;
      x_op_q     <= u_op_q;
      x_imm_q    <= u_imm_q;
      x_value_q  <= u_value_q;
      x_dst_q    <= u_dst;
      x_src_q    <= u_src[A-1:0];
    end
  end
  always_comb begin
    wait_x = 1'b0;
    if (!x_bubble_q) begin
      if (a1_valid_q && !a1_bubble_q && (a1_dst_q == x_dst_q || (!x_imm_q && a1_dst_q == x_src_q))) wait_x = 1'b1;
      if (a2_valid_q && !a2_bubble_q && (a2_dst_q == x_dst_q || (!x_imm_q && a2_dst_q == x_src_q))) wait_x = 1'b1;
      if (w_valid_q && (w_dst_q == x_dst_q || (!x_imm_q && w_dst_q == x_src_q))) wait_x = 1'b1;
      if (!x_imm_q && !src_free_i) wait_x = 1'b1;
    end
    if (g_valid_q != '0) wait_x = 1'b1;
  end
  assign x_go       = x_valid_q && !wait_x;
  assign src_read_o = x_go && !x_bubble_q && !x_imm_q;
  // GEMMs under way and an ALU micro-op that reads exclude each other.
  assign dst_read_o  = (x_go && !x_bubble_q) || (g_valid_q[E-1] && !g_reset_q[E-1]);
  assign dst_index_o = g_valid_q[E-1] ? g_dst_q[A*(E-2) +: A] : x_dst_q;
  assign src_index_o = x_src_q;

  // ---- A1, A2 ----
  logic [vta_pkg::ACC_BITS-1:0] alu;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {a1_valid_q, a2_valid_q} <= 2'b00;
    else {a1_valid_q, a2_valid_q} <= {x_go, a1_valid_q};
  end
  always_ff @(posedge clk_i) begin
    a1_bubble_q <= x_bubble_q;
    a1_last_q   <= x_last_q;
    a1_finish_q <= x_finish_q;
    a1_post_q   <= x_post_q;
    a1_op_q     <= x_op_q;
    a1_imm_q    <= x_imm_q;
    a1_value_q  <= x_value_q;
    a1_dst_q    <= x_dst_q;
    a2_bubble_q <= a1_bubble_q;
    a2_last_q   <= a1_last_q;
    a2_finish_q <= a1_finish_q;
    a2_post_q   <= a1_post_q;
    a2_dst_q    <= a1_dst_q;
  end
  for (genvar i = 0; i < LANES; i++) begin : g_lane
    vta_alu_lane u_lane (
      .clk_i(clk_i), .enable_i(a1_valid_q && !a1_bubble_q), .opcode_i(a1_op_q), .x_i(dst_i[32*i +: 32]),
      .y_i(a1_imm_q ? {{16{a1_value_q[15]}}, a1_value_q} : src_i[32*i +: 32]),
      .table_write_i(table_write_i), .table_addr_i(table_addr_i), .table_line_i(table_line_i),
      .result_o(alu[32*i +: 32])
    );
  end

  // ---- W, and the stage after it ----
  logic alu_writes, hit, hit2;
  logic [vta_pkg::ACC_BITS-1:0] w_data_q, w2_data_q, gemm;
  assign hit  = w_valid_q && w_dst_q == g_dst_q[A*(E-1) +: A];
  assign hit2 = w2_valid_q && w2_dst_q == g_dst_q[A*(E-1) +: A];
  always_comb begin
    for (int i = 0; i < LANES; i++) begin
      gemm[32*i +: 32] = (hit ? w_data_q[32*i +: 32] : hit2 ? w2_data_q[32*i +: 32] : dst_i[32*i +: 32]) +
                         32'($signed(sum[SUM_W*i +: SUM_W])) + 32'(carry[i]);
    end
  end
  assign alu_writes = a2_valid_q && !a2_bubble_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {w_valid_q, w2_valid_q} <= 2'b00;
    else {w_valid_q, w2_valid_q} <= {g_valid_q[E] || alu_writes, w_valid_q};
  end
  always_ff @(posedge clk_i) begin
    if (g_valid_q[E] || alu_writes) begin
      w_dst_q  <= g_valid_q[E] ? g_dst_q[A*(E-1) +: A] : a2_dst_q;
      w_data_q <= !g_valid_q[E] ? alu : g_reset_q[E] ? '0 : gemm;
    end
    if (w_valid_q) begin
      w2_dst_q  <= w_dst_q;
      w2_data_q <= w_data_q;
    end
  end
  assign write_o       = w_valid_q;
  assign write_index_o = w_dst_q;
  assign write_data_o  = w_data_q;

  // The write comes in the next cycle, and nobody who gets the token reads before the one after that.
  logic g_ends, a_ends;
  assign g_ends   = g_valid_q[E] && g_last_q[E];
  assign a_ends   = a2_valid_q && a2_last_q;
  assign post_o   = g_ends ? g_post_q[2*E-1 -: 2] : a_ends ? a2_post_q : 2'b00;
  assign retire_o = g_ends || a_ends;
  assign finish_o = a_ends && a2_finish_q;
  assign idle_o   = !u_valid && !x_valid_q && g_valid_q == '0 && !a1_valid_q && !a2_valid_q && !w_valid_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_ends: assert (!(g_ends && a_ends));
      one_writes: assert (!(g_valid_q[E] && alu_writes));
      one_reads: assert (!(g_valid_q[E-1] && x_go && !x_bubble_q));
    end
  end
endmodule
`default_nettype wire
