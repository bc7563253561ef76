// An on-chip memory of elements in BANKS banks, element i in bank i mod BANKS: it writes up to WRITES neighbours at once
// and reads READS, a cycle late. Lane 0 is the element of the index, lane 1 the next one, whatever bank they are in.
`default_nettype none
module vta_buffer #(
  parameter int ELEM_BITS = 128,
  parameter int INDEX_W = 11,
  parameter int BANKS = 1,
  parameter int WRITES = 1,
  parameter int READS = 1
) (
  input  wire logic                        clk_i,
  input  wire logic                        write_i,
  input  wire logic [INDEX_W-1:0]          write_index_i,
  input  wire logic [WRITES-1:0]           write_mask_i,
  input  wire logic [WRITES*ELEM_BITS-1:0] write_data_i,
  input  wire logic                        read_i,
  input  wire logic [INDEX_W-1:0]          read_index_i,
  output logic [READS*ELEM_BITS-1:0]       read_data_o
);
  if (BANKS == 1) begin : g_one
    vta_ram #(.W(ELEM_BITS), .LOG_DEPTH(INDEX_W)) u_ram (
      .clk_i(clk_i), .write_i(write_i && write_mask_i[0]), .write_addr_i(write_index_i), .write_data_i(write_data_i),
      .read_i(read_i), .read_addr_i(read_index_i), .read_data_o(read_data_o)
    );
  end else begin : g_banks
    localparam int BANK_W = $clog2(BANKS);
    logic [BANKS*ELEM_BITS-1:0] out;
    logic [BANK_W-1:0] read_first_q;

    always_ff @(posedge clk_i) begin
      if (read_i) read_first_q <= read_index_i[BANK_W-1:0];
    end

    for (genvar b = 0; b < BANKS; b++) begin : g_bank
      // The lane that this bank holds: banks before the first one hold lanes of the next address.
      logic [BANK_W-1:0] write_lane, read_lane;
      logic [INDEX_W-1:0] write_at, read_at;
      logic write_this, unused;
      logic [ELEM_BITS-1:0] write_elem;
      assign write_lane = BANK_W'(b) - write_index_i[BANK_W-1:0];
      assign read_lane  = BANK_W'(b) - read_index_i[BANK_W-1:0];
      assign write_at   = write_index_i + INDEX_W'(write_lane);
      assign read_at    = read_index_i + INDEX_W'(read_lane);
      assign unused     = ^{write_at[BANK_W-1:0], read_at[BANK_W-1:0]};
      always_comb begin
        write_this = 1'b0;
        write_elem = write_data_i[ELEM_BITS-1:0];
        for (int i = 0; i < WRITES; i++) begin
          if (write_lane == BANK_W'(i)) begin
            write_this = write_i && write_mask_i[i];
            write_elem = write_data_i[i*ELEM_BITS +: ELEM_BITS];
          end
        end
      end
      vta_ram #(.W(ELEM_BITS), .LOG_DEPTH(INDEX_W - BANK_W)) u_ram (
        .clk_i(clk_i), .write_i(write_this), .write_addr_i(write_at[INDEX_W-1:BANK_W]), .write_data_i(write_elem),
        .read_i(read_i && 32'(read_lane) < READS), .read_addr_i(read_at[INDEX_W-1:BANK_W]),
        .read_data_o(out[b*ELEM_BITS +: ELEM_BITS])
      );
    end

    for (genvar r = 0; r < READS; r++) begin : g_read
      logic [BANK_W-1:0] bank;
      logic [ELEM_BITS-1:0] elem;
      assign bank = read_first_q + BANK_W'(r);
      always_comb begin
        elem = out[ELEM_BITS-1:0];
        for (int i = 1; i < BANKS; i++) begin
          if (bank == BANK_W'(i)) elem = out[i*ELEM_BITS +: ELEM_BITS];
        end
      end
      assign read_data_o[r*ELEM_BITS +: ELEM_BITS] = elem;
    end
  end
endmodule
`default_nettype wire
