/* opbench
name: two_stages
requires: half_to_float == 0 && (dim < 0 || dim >= 1), numel(self) % 2 != 1
scratch: 4 * numel(self), 1024
launches:
  - {kernel: first, grid: 1, block: 32, shared: 4 * 32, arguments: "s0, self, int(-dim), float(1e-5)"}
  - kernel: second
    grid: [ceil_div(numel(self), 4), max(1, 2) - 1]
    block: [32, 4]
    arguments:
      - out0, s1
      - double(stride(self, 0) / 2.5), bool(is_contiguous(self)), element_size(out0), min(3, dim(self))
*/
