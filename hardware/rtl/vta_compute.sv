// The compute unit: takes instructions in order when their tokens are there, gives LOAD of uop and acc to two load engines
// and the rest to the pipeline. Loads run beside each other; GEMM and ALU wait for them, but not for micro-ops that they do
// not read, where one row of micro-ops is all that is on its way. A load of micro-ops runs beside a GEMM or ALU that reads
// others, and waits until those that it replaces are read. Writes to acc wait until the pipeline is empty.
`default_nettype none
module vta_compute (
  input  wire logic                                  clk_i,
  input  wire logic                                  rst_ni,
  input  wire logic                                  valid_i,
  output logic                                       ready_o,
  input  wire logic [vta_pkg::INSN_BITS-1:0]         insn_i,
  // Tokens: 0 of load (prev), 1 of store (next).
  input  wire logic [1:0]                            token_i,
  output logic [1:0]                                 take_o,
  output logic [1:0]                                 post_o,
  // Reads: 0 uop, 1 acc.
  output logic [1:0]                                 cmd_valid_o,
  input  wire logic [1:0]                            cmd_ready_i,
  output logic [63:0]                                cmd_addr_o,
  output logic [15:0]                                cmd_len_o,
  output logic [1:0]                                 cmd_over_o,
  input  wire logic [1:0]                            line_valid_i,
  output logic [1:0]                                 line_ready_o,
  input  wire logic [vta_pkg::BUS_BITS-1:0]          line_i,
  // The load unit's memories.
  output logic                                       operand_read_o,
  output logic [vta_pkg::INP_INDEX_W-1:0]            inp_index_o,
  output logic [vta_pkg::WGT_INDEX_W-1:0]            wgt_index_o,
  input  wire logic [vta_pkg::INP_BITS-1:0]          inp_i,
  input  wire logic [vta_pkg::WGT_BITS-1:0]          wgt_i,
  // The store unit's reads of acc: those of a line, a cycle late, before the ALU's.
  input  wire logic                                  store_read_i,
  input  wire logic [vta_pkg::ACC_INDEX_W-1:0]       store_index_i,
  output logic [vta_pkg::OUT_LANES*vta_pkg::ACC_BITS-1:0] store_data_o,
  output logic                                       retire_o,
  output logic                                       finish_o,
  output logic                                       active_o
);
  localparam int U = vta_pkg::UOP_INDEX_W;
  localparam int A = vta_pkg::ACC_INDEX_W;

  // ---- The next instruction ----
  logic [2:0] opcode, memory;
  logic load, nop, bubble, of_acc, of_table, tokens, take, at_once;
  logic [1:0] pop, post;
  logic loads_ready, loads_idle, execute_ready, execute_idle, execute_retire, execute_finish, loads_retire;
  logic [1:0] loads_post, execute_post;

  assign opcode = insn_i[vta_pkg::OPCODE_AT +: vta_pkg::OPCODE_W];
  assign memory = insn_i[vta_pkg::MEM_MEMORY_TYPE_AT +: vta_pkg::MEM_MEMORY_TYPE_W];
  assign pop    = {insn_i[vta_pkg::POP_NEXT_DEP_AT], insn_i[vta_pkg::POP_PREV_DEP_AT]};
  assign post   = {insn_i[vta_pkg::PUSH_NEXT_DEP_AT], insn_i[vta_pkg::PUSH_PREV_DEP_AT]};
  assign nop    = insn_i[vta_pkg::MEM_X_SIZE_AT +: vta_pkg::MEM_X_SIZE_W] == '0;
  assign load   = opcode == vta_pkg::OP_LOAD && !nop;
  assign bubble = opcode != vta_pkg::OP_GEMM && opcode != vta_pkg::OP_ALU;
  assign of_acc = memory != vta_pkg::MEM_UOP;
  assign of_table = vta_pkg::TABLES != 0 && memory == vta_pkg::MEM_TABLE;
  assign tokens = (pop & ~token_i) == 2'b00;
  assign at_once = bubble && !load && execute_idle; // no-op or FINISH, nothing before it is under way
  assign may_load = execute_ready || apart;
  assign ready_o = tokens && (load ? may_load && loads_ready : execute_ready && may_execute);
  assign take    = valid_i && ready_o;
  assign take_o  = take ? pop : 2'b00;

  assign post_o   = loads_post | execute_post | (take && at_once ? post : 2'b00);
  assign retire_o = loads_retire || execute_retire || (take && at_once);
  assign finish_o = execute_finish || (take && at_once && opcode == vta_pkg::OP_FINISH);
  assign active_o = !loads_idle || !execute_idle || take;

  // A row of micro-ops, none of which the instruction that runs reads.
  logic [U-1:0] uop_first, uop_final, uop_bgn;
  logic [U:0] uop_end;
  logic apart, may_load, pads, uop_none;
  assign pads    = {insn_i[vta_pkg::MEM_Y_PAD_0_AT +: vta_pkg::MEM_Y_PAD_0_W],
                    insn_i[vta_pkg::MEM_Y_PAD_1_AT +: vta_pkg::MEM_Y_PAD_1_W],
                    insn_i[vta_pkg::MEM_X_PAD_0_AT +: vta_pkg::MEM_X_PAD_0_W],
                    insn_i[vta_pkg::MEM_X_PAD_1_AT +: vta_pkg::MEM_X_PAD_1_W]} != '0;
  assign uop_bgn = U'(insn_i[vta_pkg::MEM_SRAM_BASE_AT +: vta_pkg::MEM_SRAM_BASE_W]);
  assign uop_end = {1'b0, uop_bgn} + (U+1)'(insn_i[vta_pkg::MEM_X_SIZE_AT +: vta_pkg::MEM_X_SIZE_W]);
  assign apart   = row && (uop_none || uop_end <= {1'b0, uop_first} || uop_bgn > uop_final);

  // One row of micro-ops is on its way: what those are that an instruction may read.
  logic row, lone_q, past, may_execute;
  logic [U-1:0] from_q, next_uop;
  logic [U:0] wanted;
  assign row    = !of_acc && !pads && insn_i[vta_pkg::MEM_Y_SIZE_AT +: vta_pkg::MEM_Y_SIZE_W] == 16'd1;
  assign wanted = (U+1)'(insn_i[vta_pkg::GEMM_UOP_END_AT +: vta_pkg::GEMM_UOP_END_W]);
  assign may_execute = loads_idle || (lone_q && !bubble &&
                                      (wanted <= {1'b0, from_q} || (past && wanted <= {1'b0, next_uop})));
  always_ff @(posedge clk_i) begin
    if (take && load) begin
      lone_q <= loads_idle && row && post == 2'b00; // tokens go in the order of the instructions
      from_q <= uop_bgn;
    end
  end

  // ---- Loads ----
  logic start_uop, start_acc, ready_uop, ready_acc, done_uop, done_acc, uop_write, acc_write;
  logic [U-1:0] uop_write_index;
  logic [vta_pkg::UOP_LANES-1:0] uop_write_mask;
  logic [vta_pkg::UOP_LANES*32-1:0] uop_write_data;
  logic [A-1:0] acc_write_index;
  logic [vta_pkg::ACC_LANES-1:0] acc_write_mask;
  logic [vta_pkg::ACC_LANES*vta_pkg::ACC_BITS-1:0] acc_write_data;
  logic unused_idle, unused_past;
  logic [A-1:0] unused_next;
  // Tables come by the read port of acc: of the two engines one is idle.
  logic start_second, start_table, ready_table, done_table, acc_idle, table_idle, table_write;
  logic acc_cmd, table_cmd, acc_over, table_over, acc_line_ready, table_line_ready;
  logic [31:0] acc_addr, table_cmd_addr;
  logic [7:0] acc_len, table_len;
  logic [vta_pkg::TABLE_ADDR_W-1:0] table_addr;
  assign start_acc         = start_second && !of_table && table_idle;
  assign start_table       = start_second && of_table && acc_idle;
  assign cmd_valid_o[1]    = acc_cmd || table_cmd;
  assign cmd_addr_o[63:32] = table_idle ? acc_addr : table_cmd_addr;
  assign cmd_len_o[15:8]   = table_idle ? acc_len : table_len;
  assign cmd_over_o[1]     = table_idle ? acc_over : table_over;
  assign line_ready_o[1]   = table_idle ? acc_line_ready : table_line_ready;

  vta_loads u_loads (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i && tokens && may_load && load), .ready_o(loads_ready),
    .nop_i(1'b0), .second_i(of_acc), .post_i(post), .start0_o(start_uop), .ready0_i(ready_uop), .done0_i(done_uop),
    .start1_o(start_second), .ready1_i(of_table ? ready_table && acc_idle : ready_acc && table_idle),
    .done1_i(done_acc || done_table), .may_post_i(execute_idle), .may_pass_i(!execute_retire),
    .post_o(loads_post), .retire_o(loads_retire), .idle_o(loads_idle)
  );
  vta_load_engine #(
    .LOG_ELEM(2), .LANES(vta_pkg::UOP_LANES), .INDEX_W(U), .PADS(!vta_pkg::SMALL)
  ) u_uop_engine (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(start_uop), .ready_o(ready_uop), .insn_i(insn_i), .done_o(done_uop),
    .idle_o(unused_idle), .past_o(past), .next_o(next_uop), .cmd_valid_o(cmd_valid_o[0]),
    .cmd_ready_i(cmd_ready_i[0]),
    .cmd_addr_o(cmd_addr_o[31:0]), .cmd_len_o(cmd_len_o[7:0]), .cmd_over_o(cmd_over_o[0]),
    .line_valid_i(line_valid_i[0]), .line_ready_o(line_ready_o[0]), .line_i(line_i), .write_valid_o(uop_write),
    .write_ready_i(1'b1), .write_index_o(uop_write_index), .write_mask_o(uop_write_mask),
    .write_data_o(uop_write_data)
  );
  vta_load_engine #(
    .LOG_ELEM(vta_pkg::LOG_ACC_BYTES), .LOG_ELEM_ALT(vta_pkg::LOG_ACC_BYTES - (vta_pkg::SMALL ? 0 : 2)),
    .LANES(vta_pkg::ACC_LANES), .INDEX_W(A), .PADS(!vta_pkg::SMALL)
  ) u_acc_engine (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(start_acc), .ready_o(ready_acc), .insn_i(insn_i), .done_o(done_acc),
    .idle_o(acc_idle), .past_o(unused_past), .next_o(unused_next), .cmd_valid_o(acc_cmd),
    .cmd_ready_i(cmd_ready_i[1]), .cmd_addr_o(acc_addr), .cmd_len_o(acc_len), .cmd_over_o(acc_over),
    .line_valid_i(line_valid_i[1] && table_idle), .line_ready_o(acc_line_ready), .line_i(line_i), .write_valid_o(acc_write),
    .write_ready_i(execute_idle), .write_index_o(acc_write_index), .write_mask_o(acc_write_mask),
    .write_data_o(acc_write_data)
  );
  if (vta_pkg::TABLES != 0) begin : g_tables
    vta_table_load u_table_load (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(start_table), .ready_o(ready_table), .insn_i(insn_i),
      .done_o(done_table), .idle_o(table_idle), .cmd_valid_o(table_cmd), .cmd_ready_i(cmd_ready_i[1]),
      .cmd_addr_o(table_cmd_addr), .cmd_len_o(table_len), .cmd_over_o(table_over),
      .line_valid_i(line_valid_i[1] && !table_idle), .line_ready_o(table_line_ready), .write_ready_i(execute_idle),
      .write_o(table_write), .write_addr_o(table_addr)
    );
  end else begin : g_no_tables
    logic unused_start;
    assign {ready_table, done_table, table_cmd, table_over, table_line_ready, table_write} = '0;
    assign {table_cmd_addr, table_len, table_addr} = '0;
    assign table_idle   = 1'b1;
    assign unused_start = start_table;
  end

  // ---- GEMM and ALU ----
  logic uop_read, dst_read, src_read, result_write;
  logic [U-1:0] uop_index;
  logic [31:0] uop;
  logic [A-1:0] dst_index, src_index, result_index;
  logic [vta_pkg::ACC_BITS-1:0] dst, result;
  if (vta_pkg::SMALL) begin : g_small
    vta_execute_small u_execute (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i && tokens && may_execute && !load && !at_once),
      .ready_o(execute_ready), .bubble_i(bubble), .finish_i(opcode == vta_pkg::OP_FINISH), .post_i(post),
      .insn_i(insn_i), .idle_o(execute_idle), .uop_first_o(uop_first), .uop_final_o(uop_final), .uop_none_o(uop_none),
      .uop_read_o(uop_read), .uop_index_o(uop_index), .uop_i(uop),
      .operand_read_o(operand_read_o), .inp_index_o(inp_index_o), .wgt_index_o(wgt_index_o), .inp_i(inp_i),
      .wgt_i(wgt_i), .dst_read_o(dst_read), .dst_index_o(dst_index), .dst_i(dst), .src_read_o(src_read),
      .src_free_i(!store_read_i), .src_index_o(src_index), .src_i(store_data_o[vta_pkg::ACC_BITS-1:0]),
      .table_write_i(table_write), .table_addr_i(table_addr), .table_line_i(line_i),
      .write_o(result_write), .write_index_o(result_index), .write_data_o(result), .post_o(execute_post),
      .retire_o(execute_retire), .finish_o(execute_finish)
    );
  end else begin : g_pipeline
    vta_execute u_execute (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i && tokens && may_execute && !load && !at_once),
      .ready_o(execute_ready), .bubble_i(bubble), .finish_i(opcode == vta_pkg::OP_FINISH), .post_i(post),
      .insn_i(insn_i), .idle_o(execute_idle), .uop_first_o(uop_first), .uop_final_o(uop_final), .uop_none_o(uop_none),
      .uop_read_o(uop_read), .uop_index_o(uop_index), .uop_i(uop),
      .operand_read_o(operand_read_o), .inp_index_o(inp_index_o), .wgt_index_o(wgt_index_o), .inp_i(inp_i),
      .wgt_i(wgt_i), .dst_read_o(dst_read), .dst_index_o(dst_index), .dst_i(dst), .src_read_o(src_read),
      .src_free_i(!store_read_i), .src_index_o(src_index), .src_i(store_data_o[vta_pkg::ACC_BITS-1:0]),
      .table_write_i(table_write), .table_addr_i(table_addr), .table_line_i(line_i),
      .write_o(result_write), .write_index_o(result_index), .write_data_o(result), .post_o(execute_post),
      .retire_o(execute_retire), .finish_o(execute_finish)
    );
  end

  // ---- Memories ----
  logic write;
  logic [A-1:0] write_index;
  logic [vta_pkg::ACC_LANES-1:0] write_mask;
  logic [vta_pkg::ACC_LANES*vta_pkg::ACC_BITS-1:0] write_data;
  assign write       = result_write || acc_write;
  assign write_index = result_write ? result_index : acc_write_index;
  assign write_mask  = result_write ? vta_pkg::ACC_LANES'(1) : acc_write_mask;
  always_comb begin
    write_data = acc_write_data;
    if (result_write) write_data[vta_pkg::ACC_BITS-1:0] = result;
  end

  vta_buffer #(
    .ELEM_BITS(32), .INDEX_W(U), .BANKS(vta_pkg::UOP_LANES), .WRITES(vta_pkg::UOP_LANES)
  ) u_uop (
    .clk_i(clk_i), .write_i(uop_write), .write_index_i(uop_write_index), .write_mask_i(uop_write_mask),
    .write_data_i(uop_write_data), .read_i(uop_read), .read_index_i(uop_index), .read_data_o(uop)
  );
  // Two copies of acc, one for each read of a cycle.
  vta_buffer #(
    .ELEM_BITS(vta_pkg::ACC_BITS), .INDEX_W(A), .BANKS(vta_pkg::OUT_LANES), .WRITES(vta_pkg::ACC_LANES)
  ) u_acc_dst (
    .clk_i(clk_i), .write_i(write), .write_index_i(write_index), .write_mask_i(write_mask),
    .write_data_i(write_data), .read_i(dst_read), .read_index_i(dst_index), .read_data_o(dst)
  );
  vta_buffer #(
    .ELEM_BITS(vta_pkg::ACC_BITS), .INDEX_W(A), .BANKS(vta_pkg::OUT_LANES), .WRITES(vta_pkg::ACC_LANES),
    .READS(vta_pkg::OUT_LANES)
  ) u_acc_src (
    .clk_i(clk_i), .write_i(write), .write_index_i(write_index), .write_mask_i(write_mask),
    .write_data_i(write_data), .read_i(store_read_i || src_read),
    .read_index_i(store_read_i ? store_index_i : src_index), .read_data_o(store_data_o)
  );
  logic unused;
  assign unused = ^{unused_idle, unused_past, unused_next};
endmodule
`default_nettype wire
