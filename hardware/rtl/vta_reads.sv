// The read side of the memory port: one command of the five clients leaves a cycle, the first in the order fetch, uop, inp,
// wgt, acc; fetch is the last while load and compute have many instructions before them, so that the rest of the stream does
// not hold up their data. An AXI id is the number of its client, to whom the answer goes. A client's lines come in its order.
`default_nettype none
module vta_reads (
  input  wire logic                           clk_i,
  input  wire logic                           rst_ni,
  input  wire logic                           fetch_last_i,
  input  wire logic [vta_pkg::CLIENTS-1:0]    cmd_valid_i,
  output logic [vta_pkg::CLIENTS-1:0]         cmd_ready_o,
  input  wire logic [vta_pkg::CLIENTS*32-1:0] cmd_addr_i,
  input  wire logic [vta_pkg::CLIENTS*8-1:0]  cmd_len_i,
  input  wire logic [vta_pkg::CLIENTS-1:0]    cmd_over_i, // such a command is never sent
  input  wire logic [vta_pkg::CLIENTS*vta_pkg::PAGE_W-1:0] base_i, // the page added to the client's addresses
  output logic [vta_pkg::CLIENTS-1:0]         line_valid_o,
  input  wire logic [vta_pkg::CLIENTS-1:0]    line_ready_i,
  output logic                                ar_valid_o,
  input  wire logic                           ar_ready_i,
  output logic [2:0]                          ar_id_o,
  output logic [31:0]                         ar_addr_o,
  output logic [7:0]                          ar_len_o,
  input  wire logic                           r_valid_i,
  output logic                                r_ready_o,
  input  wire logic [2:0]                     r_id_i,
  input  wire logic                           r_last_i,
  output logic                                active_o // a read is under way
);
  localparam int N = vta_pkg::CLIENTS;
  localparam int G = vta_pkg::PAGE_W;
  localparam int LOG_MAX = $clog2(vta_pkg::READS_MAX);

  logic [N-1:0] asks;
  logic [2:0] who;
  logic any, send, may_send;
  logic [31:0] addr;
  logic [G-1:0] base;
  logic [7:0] len;
  logic [LOG_MAX:0] under_way_q;

  logic [N-1:0] wants;
  assign wants = cmd_valid_i & ~cmd_over_i;
  assign asks  = {wants[N-1:1], wants[0] && !(fetch_last_i && wants[N-1:1] != '0)};
  always_comb begin
    who  = '0;
    any  = 1'b0;
    addr = cmd_addr_i[31:0];
    base = base_i[G-1:0];
    len  = cmd_len_i[7:0];
    for (int i = N - 1; i >= 0; i--) begin
      if (asks[i]) begin
        who  = 3'(i);
        any  = 1'b1;
        addr = cmd_addr_i[32*i +: 32];
        base = base_i[G*i +: G];
        len  = cmd_len_i[8*i +: 8];
      end
    end
  end
  assign may_send = (!ar_valid_o || ar_ready_i) && under_way_q != (LOG_MAX+1)'(vta_pkg::READS_MAX);
  assign send     = any && may_send;
  always_comb begin
    for (int i = 0; i < N; i++) begin
      cmd_ready_o[i]  = may_send && asks[i] && who == 3'(i);
      line_valid_o[i] = r_valid_i && r_id_i == 3'(i);
    end
  end
  logic unused;
  assign unused    = ^addr;
  assign r_ready_o = (line_ready_i & line_valid_o) != '0;
  assign active_o  = under_way_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_valid_o  <= 1'b0;
      under_way_q <= '0;
    end else begin
      ar_valid_o  <= send || (ar_valid_o && !ar_ready_i);
      under_way_q <= under_way_q + (LOG_MAX+1)'(send) - (LOG_MAX+1)'(r_valid_i && r_ready_o && r_last_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (send) begin
      ar_id_o   <= who;
      ar_addr_o <= 32'({addr[12 +: G] + base, addr[11:0]});
      ar_len_o  <= len;
    end
  end

`ifdef FORMAL
  // AXI: an offered command stays as it is; it is offered whether or not the memory is ready.
  logic past_q = 1'b0;
  always_comb if (rst_ni) assume (!(r_valid_i && r_ready_o && r_last_i) || under_way_q != '0);
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (rst_ni) begin
      not_too_many: assert (under_way_q <= (LOG_MAX+1)'(vta_pkg::READS_MAX));
      one_client: assert ((cmd_ready_o & (cmd_ready_o - 1'b1)) == '0);
      if (past_q && $past(rst_ni && ar_valid_o && !ar_ready_i))
        stays: assert (ar_valid_o && $stable(ar_id_o) && $stable(ar_addr_o) && $stable(ar_len_o));
      if (past_q && $past(rst_ni && any && !ar_valid_o && under_way_q != (LOG_MAX+1)'(vta_pkg::READS_MAX)))
        does_not_wait: assert (ar_valid_o);
      if (past_q && $past(rst_ni && wants[0] && may_send)) begin
        fetch_first: assert ($past(fetch_last_i && wants[N-1:1] != '0) || ar_id_o == 3'd0);
        fetch_last: assert (!$past(fetch_last_i && wants[N-1:1] != '0) || ar_id_o != 3'd0);
      end
      idle: assert (active_o == (under_way_q != '0));
      full: cover (under_way_q == (LOG_MAX+1)'(vta_pkg::READS_MAX));
    end
  end
`endif
endmodule
`default_nettype wire
