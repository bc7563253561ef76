// GEMM and tensor ALU for small parts, in the place of vta_execute: a micro-op after another, and of each a lane (a row of
// the batch, an output channel) a cycle, through one dot product and one lane of the ALU.
//   U     the micro-op's word is there; inp, wgt, acc[dst] and acc[src] are read
//   0     they are there; acc[src] goes to the result register, whose lanes it leaves as results come in
//   1 ..  a lane enters in each cycle; its result comes STAGES cycles later
//   last  the result is written, and the micro-op is done
`default_nettype none
module vta_execute_small (
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
  localparam int ACC = vta_pkg::ACC_BITS;
  localparam int LANES = vta_pkg::BATCH * vta_pkg::BLOCK_OUT;
  localparam int LEVELS = $clog2(vta_pkg::BLOCK_IN);
  localparam int INP_ROW = vta_pkg::BLOCK_IN * vta_pkg::INP_W;
  localparam int WGT_ROW = vta_pkg::BLOCK_IN * vta_pkg::WGT_W;
  localparam int PRODUCT_W = vta_pkg::INP_W + vta_pkg::WGT_W < 32 ? vta_pkg::INP_W + vta_pkg::WGT_W : 32;
  localparam int FULL_W = vta_pkg::INP_W + vta_pkg::WGT_W + LEVELS;
  localparam int SUM_W = FULL_W < 32 ? FULL_W : 32;
  localparam int STEP_W = $clog2(LANES + LEVELS + 3);

  // ---- U ----
  logic u_valid, u_last, u_bubble, u_gemm_q, u_reset_q, u_imm_q, u_finish_q, begin_op, done;
  logic [A-1:0] base_dst, dst;
  logic [S-1:0] base_src, src;
  logic [W-1:0] base_wgt;
  logic [1:0] u_post_q;
  logic [2:0] u_op_q;
  logic [15:0] u_value_q;
  vta_sequencer u_sequencer (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .bubble_i(bubble_i), .insn_i(insn_i),
    .read_o(uop_read_o), .read_index_o(uop_index_o), .valid_o(u_valid), .ready_i(done), .last_o(u_last),
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
  assign dst = uop_i[vta_pkg::UOP_DST_AT +: A] + base_dst; // the word stays there until the micro-op is done
  assign src = uop_i[vta_pkg::UOP_SRC_AT +: S] + base_src;
  assign inp_index_o = src[vta_pkg::INP_INDEX_W-1:0];
  assign wgt_index_o = uop_i[vta_pkg::UOP_WGT_AT +: W] + base_wgt;
  assign dst_index_o = dst;
  assign src_index_o = src[A-1:0];
  logic unused;
  assign unused = ^{uop_i, insn_i};

  // ---- Steps ----
  logic busy_q, zero, shift;
  logic [STEP_W-1:0] step_q, lane, first, final_step; // first: the step in which the first result comes
  assign zero           = u_gemm_q && u_reset_q;
  assign begin_op       = u_valid && !busy_q && !u_bubble && (u_gemm_q || u_imm_q || src_free_i);
  assign operand_read_o = begin_op && u_gemm_q;
  assign dst_read_o     = begin_op;
  assign src_read_o     = begin_op && !u_gemm_q && !u_imm_q;
  assign first          = u_gemm_q ? STEP_W'(LEVELS + 2) : STEP_W'(2);
  assign final_step     = first + STEP_W'(LANES);
  assign lane           = step_q - (u_gemm_q ? first : STEP_W'(1)); // of acc[dst]
  assign shift          = busy_q && step_q != '0;
  assign write_o        = busy_q && (zero || step_q == final_step);
  assign done           = write_o || (u_valid && u_bubble);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= begin_op || (busy_q && !write_o);
  end
  always_ff @(posedge clk_i) begin
    if (begin_op) step_q <= '0;
    else step_q <= step_q + 1'b1;
  end

  // ---- A lane ----
  logic [31:0] dst_lane, alu, sum_or_alu;
  logic [INP_ROW-1:0] inp;
  logic [WGT_ROW-1:0] wgt;
  logic [ACC-1:0] result_q;
  always_comb begin
    dst_lane = dst_i[31:0];
    inp      = inp_i[INP_ROW-1:0];
    wgt      = wgt_i[WGT_ROW-1:0];
    for (int i = 0; i < LANES; i++) begin
      if (lane == STEP_W'(i)) dst_lane = dst_i[32*i +: 32];
      if (step_q == STEP_W'(i + 1)) begin
        inp = inp_i[i/vta_pkg::BLOCK_OUT*INP_ROW +: INP_ROW];
        wgt = wgt_i[i%vta_pkg::BLOCK_OUT*WGT_ROW +: WGT_ROW];
      end
    end
  end
  vta_alu_lane u_lane (
    .clk_i(clk_i), .enable_i(busy_q && !u_gemm_q), .opcode_i(u_op_q), .x_i(dst_lane),
    .y_i(u_imm_q ? {{16{u_value_q[15]}}, u_value_q} : result_q[31:0]),
    .table_write_i(table_write_i), .table_addr_i(table_addr_i), .table_line_i(table_line_i), .result_o(alu)
  );

  logic [vta_pkg::BLOCK_IN*PRODUCT_W-1:0] product_q;
  logic [SUM_W-1:0] sum;
  for (genvar i = 0; i < vta_pkg::BLOCK_IN; i++) begin : g_product
    logic [PRODUCT_W-1:0] product;
    vta_product u_product (
      .inp_i(inp[i*vta_pkg::INP_W +: vta_pkg::INP_W]), .wgt_i(wgt[i*vta_pkg::WGT_W +: vta_pkg::WGT_W]),
      .product_o(product)
    );
    always_ff @(posedge clk_i) product_q[i*PRODUCT_W +: PRODUCT_W] <= product;
  end
  vta_tree #(.N(vta_pkg::BLOCK_IN), .IN_W(PRODUCT_W), .OUT_W(SUM_W)) u_tree (
    .clk_i(clk_i), .value_i(product_q), .value_o(sum)
  );
  assign sum_or_alu = u_gemm_q ? dst_lane + 32'($signed(sum)) : alu;
  always_ff @(posedge clk_i) begin
    if (shift) result_q <= {sum_or_alu, result_q[ACC-1:32]};
    else result_q <= src_i;
  end

  // The write is of this cycle, and nobody who gets the token reads before the next one.
  assign write_index_o = dst;
  assign write_data_o  = zero ? '0 : result_q;
  assign retire_o      = done && u_last;
  assign post_o        = retire_o ? u_post_q : 2'b00;
  assign finish_o      = retire_o && u_finish_q;
  assign idle_o        = !u_valid;
endmodule
`default_nettype wire
