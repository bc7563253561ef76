// The accelerator in an FPGA with few pins: registers and memory share 32 pins of data to the FPGA, all answers share 32 pins
// from it; select_i says what stands there. The handshakes have pins of their own, so a host or a second FPGA drives
// both AXI ports through them. For a bus of 32 bits.
`default_nettype none
module vta_shell (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [31:0] data_i,      // of register writes and of answers to reads of memory
  input  wire logic [7:0]  reg_addr_i,  // of reads and writes of registers
  input  wire logic [1:0]  select_i,    // at data_o: 0 a register, 1 an address to read, 2 an address to write, 3 data to write
  output logic [31:0]      data_o,
  input  wire logic        reg_write_i, // address and data of a write are there
  output logic             reg_write_o, // both are taken
  output logic             reg_done_o,
  input  wire logic        reg_done_i,
  input  wire logic        reg_read_i,
  output logic             reg_read_o,
  output logic             reg_valid_o,
  input  wire logic        reg_ready_i,
  output logic             ar_valid_o,
  input  wire logic        ar_ready_i,
  output logic [2:0]       ar_id_o,
  input  wire logic        r_valid_i,
  output logic             r_ready_o,
  input  wire logic [2:0]  r_id_i,
  input  wire logic        r_error_i,
  input  wire logic        r_last_i,
  output logic             aw_valid_o,
  input  wire logic        aw_ready_i,
  output logic             w_valid_o,
  input  wire logic        w_ready_i,
  output logic [3:0]       w_strb_o,
  output logic             w_last_o,
  input  wire logic        b_valid_i,
  output logic             b_ready_o,
  input  wire logic        b_error_i,
  output logic [3:0]       len_o,       // beats - 1 of the address at data_o
  output logic             finished_o
);
  logic [31:0] reg_data, ar_addr, aw_addr, w_data;
  logic [7:0] ar_len, aw_len;
  logic w_taken, unused;
  logic [1:0] bresp, rresp, ar_burst, aw_burst;
  logic [2:0] ar_size, aw_size, aw_id;
  assign unused = ^{w_taken, bresp, rresp, ar_burst, aw_burst, ar_size, aw_size, aw_id, ar_len, aw_len};
  assign len_o  = select_i[0] ? ar_len[3:0] : aw_len[3:0];
  always_comb begin
    data_o = reg_data;
    if (select_i == 2'd1) data_o = ar_addr;
    if (select_i == 2'd2) data_o = aw_addr;
    if (select_i == 2'd3) data_o = w_data;
  end
  vta_top u_top (
    .clk_i(clk_i), .rst_ni(rst_ni), .s_axi_awvalid_i(reg_write_i), .s_axi_awready_o(reg_write_o),
    .s_axi_awaddr_i(reg_addr_i), .s_axi_wvalid_i(reg_write_i), .s_axi_wready_o(w_taken), .s_axi_wdata_i(data_i),
    .s_axi_bvalid_o(reg_done_o), .s_axi_bready_i(reg_done_i), .s_axi_bresp_o(bresp), .s_axi_arvalid_i(reg_read_i),
    .s_axi_arready_o(reg_read_o), .s_axi_araddr_i(reg_addr_i), .s_axi_rvalid_o(reg_valid_o),
    .s_axi_rready_i(reg_ready_i), .s_axi_rdata_o(reg_data), .s_axi_rresp_o(rresp), .m_axi_arvalid_o(ar_valid_o),
    .m_axi_arready_i(ar_ready_i), .m_axi_arid_o(ar_id_o), .m_axi_araddr_o(ar_addr), .m_axi_arlen_o(ar_len),
    .m_axi_arsize_o(ar_size), .m_axi_arburst_o(ar_burst), .m_axi_rvalid_i(r_valid_i), .m_axi_rready_o(r_ready_o),
    .m_axi_rid_i(r_id_i), .m_axi_rdata_i(data_i), .m_axi_rresp_i({r_error_i, 1'b0}), .m_axi_rlast_i(r_last_i),
    .m_axi_awvalid_o(aw_valid_o), .m_axi_awready_i(aw_ready_i), .m_axi_awid_o(aw_id), .m_axi_awaddr_o(aw_addr),
    .m_axi_awlen_o(aw_len), .m_axi_awsize_o(aw_size), .m_axi_awburst_o(aw_burst), .m_axi_wvalid_o(w_valid_o),
    .m_axi_wready_i(w_ready_i), .m_axi_wdata_o(w_data), .m_axi_wstrb_o(w_strb_o), .m_axi_wlast_o(w_last_o),
    .m_axi_bvalid_i(b_valid_i), .m_axi_bready_o(b_ready_o), .m_axi_bid_i(3'd0), .m_axi_bresp_i({b_error_i, 1'b0}),
    .finished_o(finished_o)
  );
endmodule
`default_nettype wire
