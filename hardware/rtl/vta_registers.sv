// The register block (include/vta/register.def) behind AXI4-Lite: one read and one write at a time, each answered in the
// next cycle. Writing 1 to the control register launches a run.
`default_nettype none
module vta_registers (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        aw_valid_i,
  output logic             aw_ready_o,
  input  wire logic [7:0]  aw_addr_i,
  input  wire logic        w_valid_i,
  output logic             w_ready_o,
  input  wire logic [31:0] w_data_i,
  output logic             b_valid_o,
  input  wire logic        b_ready_i,
  input  wire logic        ar_valid_i,
  output logic             ar_ready_o,
  input  wire logic [7:0]  ar_addr_i,
  output logic             r_valid_o,
  input  wire logic        r_ready_i,
  output logic [31:0]      r_data_o,
  // To and from the accelerator.
  output logic             launch_o,
  output logic [vta_pkg::INSN_COUNT_W-1:0] insn_count_o,
  output logic [31:0]      insn_addr_o,
  output logic [vta_pkg::PAGE_W-1:0] fetch_base_o,
  output logic [vta_pkg::PAGE_W-1:0] uop_base_o,
  output logic [vta_pkg::PAGE_W-1:0] inp_base_o,
  output logic [vta_pkg::PAGE_W-1:0] wgt_base_o,
  output logic [vta_pkg::PAGE_W-1:0] acc_base_o,
  output logic [vta_pkg::PAGE_W-1:0] out_base_o,
  input  wire logic        running_i,
  input  wire logic        finished_i,
  input  wire logic [31:0] cycles_i,
  input  wire logic [31:0] status_i,
  input  wire logic [3*vta_pkg::INSN_COUNT_W-1:0] retired_i // instructions of load, compute, store
);
  localparam int C = vta_pkg::INSN_COUNT_W;
  logic [C-1:0] retired;
  logic unused;
  assign retired = retired_i[0 +: C] + retired_i[C +: C] + retired_i[2*C +: C];
  assign unused  = ^w_data_i;
  logic write;
  assign write      = aw_valid_i && w_valid_i && !b_valid_o;
  assign aw_ready_o = write;
  assign w_ready_o  = write;
  assign ar_ready_o = !r_valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_valid_o    <= 1'b0;
      launch_o     <= 1'b0;
      insn_count_o <= '0;
      insn_addr_o  <= '0;
      fetch_base_o <= '0;
      uop_base_o   <= '0;
      inp_base_o   <= '0;
      wgt_base_o   <= '0;
      acc_base_o   <= '0;
      out_base_o   <= '0;
    end else begin
      b_valid_o <= write || (b_valid_o && !b_ready_i);
      launch_o  <= write && aw_addr_i == vta_pkg::REG_CONTROL && w_data_i[0] && !running_i;
      if (write) begin
        case (aw_addr_i)
          vta_pkg::REG_INSN_COUNT: insn_count_o <= vta_pkg::INSN_COUNT_W'(w_data_i);
          vta_pkg::REG_INSN_ADDR: insn_addr_o <= 32'(vta_pkg::ADDR_W'(w_data_i));
          vta_pkg::REG_FETCH_BASE: fetch_base_o <= w_data_i[12 +: vta_pkg::PAGE_W];
          vta_pkg::REG_UOP_BASE: uop_base_o <= w_data_i[12 +: vta_pkg::PAGE_W];
          vta_pkg::REG_INP_BASE: inp_base_o <= w_data_i[12 +: vta_pkg::PAGE_W];
          vta_pkg::REG_WGT_BASE: wgt_base_o <= w_data_i[12 +: vta_pkg::PAGE_W];
          vta_pkg::REG_ACC_BASE: acc_base_o <= w_data_i[12 +: vta_pkg::PAGE_W];
          vta_pkg::REG_OUT_BASE: out_base_o <= w_data_i[12 +: vta_pkg::PAGE_W];
          default: ;
        endcase
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) r_valid_o <= 1'b0;
    else r_valid_o <= (ar_valid_i && ar_ready_o) || (r_valid_o && !r_ready_i);
  end
  always_ff @(posedge clk_i) begin
    if (ar_valid_i && ar_ready_o) begin
      case (ar_addr_i)
        vta_pkg::REG_CONTROL: r_data_o <= {30'b0, finished_i, running_i};
        vta_pkg::REG_CYCLES: r_data_o <= cycles_i;
        vta_pkg::REG_INSN_COUNT: r_data_o <= 32'(insn_count_o);
        vta_pkg::REG_INSN_ADDR: r_data_o <= insn_addr_o;
        vta_pkg::REG_FETCH_BASE: r_data_o <= 32'(fetch_base_o) << 12;
        vta_pkg::REG_UOP_BASE: r_data_o <= 32'(uop_base_o) << 12;
        vta_pkg::REG_INP_BASE: r_data_o <= 32'(inp_base_o) << 12;
        vta_pkg::REG_WGT_BASE: r_data_o <= 32'(wgt_base_o) << 12;
        vta_pkg::REG_ACC_BASE: r_data_o <= 32'(acc_base_o) << 12;
        vta_pkg::REG_OUT_BASE: r_data_o <= 32'(out_base_o) << 12;
        vta_pkg::REG_USER_COUNT: r_data_o <= 32'(retired);
        vta_pkg::REG_STATUS: r_data_o <= status_i;
        vta_pkg::REG_LOAD_DONE: r_data_o <= 32'(retired_i[0 +: C]);
        vta_pkg::REG_COMPUTE_DONE: r_data_o <= 32'(retired_i[C +: C]);
        vta_pkg::REG_STORE_DONE: r_data_o <= 32'(retired_i[2*C +: C]);
        default: r_data_o <= '0;
      endcase
    end
  end

`ifdef FORMAL
  // An answer for each request, after it, and as it is until it is taken.
  logic past_q = 1'b0;
  logic [3:0] reads_q, writes_q; // requests without an answer
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {reads_q, writes_q} <= '0;
    else begin
      reads_q  <= reads_q + 4'(ar_valid_i && ar_ready_o) - 4'(r_valid_o && r_ready_i);
      writes_q <= writes_q + 4'(write) - 4'(b_valid_o && b_ready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (rst_ni) begin
      read_answered: assert (reads_q == 4'(r_valid_o));
      write_answered: assert (writes_q == 4'(b_valid_o));
    end
    if (past_q && rst_ni) begin
      if ($past(rst_ni && r_valid_o && !r_ready_i)) read_stays: assert (r_valid_o && $stable(r_data_o));
      if ($past(rst_ni && b_valid_o && !b_ready_i)) write_stays: assert (b_valid_o);
      if ($past(launch_o && rst_ni)) launched_once: assert (!launch_o || $past(write));
      both: cover (r_valid_o && b_valid_o && launch_o);
    end
  end
`endif
endmodule
`default_nettype wire
