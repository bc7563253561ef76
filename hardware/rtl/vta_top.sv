// The accelerator: fetch, three units with their queues, the tokens between them, one AXI4 master for memory (INCR bursts
// of whole bus words) and an AXI4-Lite slave for the registers.
`default_nettype none
module vta_top (
  input  wire logic                            clk_i,
  input  wire logic                            rst_ni,
  // Registers.
  input  wire logic                            s_axi_awvalid_i,
  output logic                                 s_axi_awready_o,
  input  wire logic [7:0]                      s_axi_awaddr_i,
  input  wire logic                            s_axi_wvalid_i,
  output logic                                 s_axi_wready_o,
  input  wire logic [31:0]                     s_axi_wdata_i,
  output logic                                 s_axi_bvalid_o,
  input  wire logic                            s_axi_bready_i,
  output logic [1:0]                           s_axi_bresp_o,
  input  wire logic                            s_axi_arvalid_i,
  output logic                                 s_axi_arready_o,
  input  wire logic [7:0]                      s_axi_araddr_i,
  output logic                                 s_axi_rvalid_o,
  input  wire logic                            s_axi_rready_i,
  output logic [31:0]                          s_axi_rdata_o,
  output logic [1:0]                           s_axi_rresp_o,
  // Memory.
  output logic                                 m_axi_arvalid_o,
  input  wire logic                            m_axi_arready_i,
  output logic [2:0]                           m_axi_arid_o,
  output logic [31:0]                          m_axi_araddr_o,
  output logic [7:0]                           m_axi_arlen_o,
  output logic [2:0]                           m_axi_arsize_o,
  output logic [1:0]                           m_axi_arburst_o,
  input  wire logic                            m_axi_rvalid_i,
  output logic                                 m_axi_rready_o,
  input  wire logic [2:0]                      m_axi_rid_i,
  input  wire logic [vta_pkg::BUS_BITS-1:0]    m_axi_rdata_i,
  input  wire logic [1:0]                      m_axi_rresp_i,
  input  wire logic                            m_axi_rlast_i,
  output logic                                 m_axi_awvalid_o,
  input  wire logic                            m_axi_awready_i,
  output logic [2:0]                           m_axi_awid_o,
  output logic [31:0]                          m_axi_awaddr_o,
  output logic [7:0]                           m_axi_awlen_o,
  output logic [2:0]                           m_axi_awsize_o,
  output logic [1:0]                           m_axi_awburst_o,
  output logic                                 m_axi_wvalid_o,
  input  wire logic                            m_axi_wready_i,
  output logic [vta_pkg::BUS_BITS-1:0]         m_axi_wdata_o,
  output logic [vta_pkg::BUS_BITS/8-1:0]       m_axi_wstrb_o,
  output logic                                 m_axi_wlast_o,
  input  wire logic                            m_axi_bvalid_i,
  output logic                                 m_axi_bready_o,
  input  wire logic [2:0]                      m_axi_bid_i,
  input  wire logic [1:0]                      m_axi_bresp_i,
  // A run has finished; up to the next launch.
  output logic                                 finished_o
);
  localparam int N = vta_pkg::CLIENTS;
  localparam int INSN = vta_pkg::INSN_BITS;

  logic launch, running, finish;
  localparam int COUNT_W = vta_pkg::INSN_COUNT_W;
  logic [COUNT_W-1:0] insn_count;
  logic [31:0] insn_addr, cycles, status;
  logic [vta_pkg::PAGE_W-1:0] fetch_base, uop_base, inp_base, wgt_base, acc_base, out_base; // pages
  logic [3*COUNT_W-1:0] retired;

  // ---- Fetch and queues: load, compute, store ----
  logic [2:0] put, put_ready, head, head_ready, retire, many;
  logic [3:0] active;
  logic [INSN-1:0] insn;
  logic [3*INSN-1:0] next;
  logic fetch_idle, reads_active, write_over;
  logic [N-1:0] cmd_valid, cmd_ready, cmd_over, line_valid, line_ready;
  logic [32*N-1:0] cmd_addr;
  logic [8*N-1:0] cmd_len;

  vta_fetch u_fetch (
    .clk_i(clk_i), .rst_ni(rst_ni), .launch_i(launch), .addr_i(insn_addr), .count_i(insn_count),
    .cmd_valid_o(cmd_valid[0]), .cmd_ready_i(cmd_ready[0]), .cmd_addr_o(cmd_addr[31:0]), .cmd_len_o(cmd_len[7:0]),
    .cmd_over_o(cmd_over[0]), .line_valid_i(line_valid[0]), .line_i(m_axi_rdata_i), .valid_o(put),
    .ready_i(put_ready), .insn_o(insn), .idle_o(fetch_idle), .active_o(active[0])
  );
  assign line_ready[0] = 1'b1;
  for (genvar i = 0; i < 3; i++) begin : g_queue
    if (vta_pkg::LOG_QUEUE == 0) begin : g_one
      vta_fifo #(.W(INSN), .LOG_DEPTH(0)) u_queue (
        .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(put[i]), .ready_o(put_ready[i]), .data_i(insn), .valid_o(head[i]),
        .ready_i(head_ready[i]), .data_o(next[i*INSN +: INSN])
      );
      assign many[i] = 1'b0;
    end else begin : g_many
      vta_queue #(.W(INSN), .LOG_DEPTH(vta_pkg::LOG_QUEUE)) u_queue (
        .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(put[i]), .ready_o(put_ready[i]), .data_i(insn), .valid_o(head[i]),
        .ready_i(head_ready[i]), .data_o(next[i*INSN +: INSN]), .many_o(many[i])
      );
    end
  end

  // ---- Tokens ----
  logic load_post, load_take, store_post, store_take, token_load, token_store;
  logic [1:0] compute_post, compute_take, token_compute;
  vta_token u_load_compute (
    .clk_i(clk_i), .rst_ni(rst_ni), .clear_i(launch), .post_i(load_post), .some_o(token_compute[0]),
    .take_i(compute_take[0])
  );
  vta_token u_store_compute (
    .clk_i(clk_i), .rst_ni(rst_ni), .clear_i(launch), .post_i(store_post), .some_o(token_compute[1]),
    .take_i(compute_take[1])
  );
  vta_token u_compute_load (
    .clk_i(clk_i), .rst_ni(rst_ni), .clear_i(launch), .post_i(compute_post[0]), .some_o(token_load),
    .take_i(load_take)
  );
  vta_token u_compute_store (
    .clk_i(clk_i), .rst_ni(rst_ni), .clear_i(launch), .post_i(compute_post[1]), .some_o(token_store),
    .take_i(store_take)
  );

  // ---- Units ----
  logic operand_read, store_read;
  logic [vta_pkg::INP_INDEX_W-1:0] inp_index;
  logic [vta_pkg::WGT_INDEX_W-1:0] wgt_index;
  logic [vta_pkg::ACC_INDEX_W-1:0] store_index;
  logic [vta_pkg::INP_BITS-1:0] inp;
  logic [vta_pkg::WGT_BITS-1:0] wgt;
  logic [vta_pkg::OUT_LANES*vta_pkg::ACC_BITS-1:0] store_data;

  vta_load u_load (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(head[0]), .ready_o(head_ready[0]), .insn_i(next[0 +: INSN]),
    .token_i(token_load), .take_o(load_take), .post_o(load_post), .cmd_valid_o(cmd_valid[3:2]),
    .cmd_ready_i(cmd_ready[3:2]), .cmd_addr_o(cmd_addr[2*32 +: 64]), .cmd_len_o(cmd_len[2*8 +: 16]),
    .cmd_over_o(cmd_over[3:2]), .line_valid_i(line_valid[3:2]), .line_ready_o(line_ready[3:2]),
    .line_i(m_axi_rdata_i), .read_i(operand_read), .inp_index_i(inp_index), .wgt_index_i(wgt_index), .inp_o(inp),
    .wgt_o(wgt), .retire_o(retire[0]), .active_o(active[1])
  );
  vta_compute u_compute (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(head[1]), .ready_o(head_ready[1]), .insn_i(next[INSN +: INSN]),
    .token_i(token_compute), .take_o(compute_take), .post_o(compute_post), .cmd_valid_o({cmd_valid[4], cmd_valid[1]}),
    .cmd_ready_i({cmd_ready[4], cmd_ready[1]}), .cmd_addr_o({cmd_addr[4*32 +: 32], cmd_addr[32 +: 32]}),
    .cmd_len_o({cmd_len[4*8 +: 8], cmd_len[8 +: 8]}), .cmd_over_o({cmd_over[4], cmd_over[1]}),
    .line_valid_i({line_valid[4], line_valid[1]}), .line_ready_o({line_ready[4], line_ready[1]}),
    .line_i(m_axi_rdata_i), .operand_read_o(operand_read), .inp_index_o(inp_index), .wgt_index_o(wgt_index),
    .inp_i(inp), .wgt_i(wgt), .store_read_i(store_read), .store_index_i(store_index), .store_data_o(store_data),
    .retire_o(retire[1]), .finish_o(finish), .active_o(active[2])
  );
  vta_store u_store (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(head[2]), .ready_o(head_ready[2]), .insn_i(next[2*INSN +: INSN]),
    .token_i(token_store), .take_o(store_take), .post_o(store_post), .read_o(store_read),
    .read_index_o(store_index), .read_data_i(store_data), .base_i(out_base), .aw_valid_o(m_axi_awvalid_o),
    .aw_ready_i(m_axi_awready_i), .aw_addr_o(m_axi_awaddr_o), .aw_len_o(m_axi_awlen_o), .w_valid_o(m_axi_wvalid_o),
    .w_ready_i(m_axi_wready_i), .w_data_o(m_axi_wdata_o), .w_strb_o(m_axi_wstrb_o), .w_last_o(m_axi_wlast_o),
    .b_valid_i(m_axi_bvalid_i), .b_ready_o(m_axi_bready_o), .over_o(write_over), .retire_o(retire[2]),
    .active_o(active[3])
  );

  // ---- Memory ----
  vta_reads u_reads (
    .clk_i(clk_i), .rst_ni(rst_ni), .fetch_last_i(many[0] && many[1]), .cmd_valid_i(cmd_valid), .cmd_ready_o(cmd_ready),
    .cmd_addr_i(cmd_addr), .cmd_len_i(cmd_len), .cmd_over_i(cmd_over),
    .base_i({acc_base, wgt_base, inp_base, uop_base, fetch_base}), .line_valid_o(line_valid),
    .line_ready_i(line_ready), .ar_valid_o(m_axi_arvalid_o),
    .ar_ready_i(m_axi_arready_i), .ar_id_o(m_axi_arid_o), .ar_addr_o(m_axi_araddr_o), .ar_len_o(m_axi_arlen_o),
    .r_valid_i(m_axi_rvalid_i), .r_ready_o(m_axi_rready_o), .r_id_i(m_axi_rid_i), .r_last_i(m_axi_rlast_i),
    .active_o(reads_active)
  );
  assign m_axi_arsize_o  = 3'(vta_pkg::LOG_BUS_BYTES);
  assign m_axi_arburst_o = 2'b01;
  assign m_axi_awid_o    = '0;
  assign m_axi_awsize_o  = 3'(vta_pkg::LOG_BUS_BYTES);
  assign m_axi_awburst_o = 2'b01;

  // ---- The run ----
  logic [5:0] fault;
  assign fault = {(m_axi_bvalid_i && m_axi_bready_o && m_axi_bresp_i[1]) || write_over,
                  (line_valid & {N{m_axi_rresp_i[1]}}) | (cmd_valid & cmd_over)};
  vta_run u_run (
    .clk_i(clk_i), .rst_ni(rst_ni), .launch_i(launch), .finish_i(finish),
    .quiet_i(fetch_idle && !reads_active && head == 3'b000 && active == 4'b0000), .retire_i(retire), .active_i(active),
    .fault_i(fault), .running_o(running), .finished_o(finished_o), .cycles_o(cycles), .status_o(status),
    .retired_o(retired)
  );
  vta_registers u_registers (
    .clk_i(clk_i), .rst_ni(rst_ni), .aw_valid_i(s_axi_awvalid_i), .aw_ready_o(s_axi_awready_o),
    .aw_addr_i(s_axi_awaddr_i), .w_valid_i(s_axi_wvalid_i), .w_ready_o(s_axi_wready_o), .w_data_i(s_axi_wdata_i),
    .b_valid_o(s_axi_bvalid_o), .b_ready_i(s_axi_bready_i), .ar_valid_i(s_axi_arvalid_i),
    .ar_ready_o(s_axi_arready_o), .ar_addr_i(s_axi_araddr_i), .r_valid_o(s_axi_rvalid_o),
    .r_ready_i(s_axi_rready_i), .r_data_o(s_axi_rdata_o), .launch_o(launch), .insn_count_o(insn_count),
    .insn_addr_o(insn_addr), .fetch_base_o(fetch_base), .uop_base_o(uop_base), .inp_base_o(inp_base),
    .wgt_base_o(wgt_base), .acc_base_o(acc_base), .out_base_o(out_base), .running_i(running),
    .finished_i(finished_o), .cycles_i(cycles), .status_i(status), .retired_i(retired)
  );
  assign s_axi_bresp_o = 2'b00;
  assign s_axi_rresp_o = 2'b00;
  logic unused;
  assign unused = ^{many[2], m_axi_bid_i, m_axi_bresp_i[0], m_axi_rresp_i[0]};
endmodule
`default_nettype wire
