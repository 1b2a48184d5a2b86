import { name, u32, Writer } from './writer.ts'

/**
 * The contents of a custom section that says which `if`s are hardly ever taken (Branch Hinting proposal). V8 reads it
 * with `--experimental-wasm-branch-hinting` and then keeps their code, and what a call in it costs the registers, out
 * of the loops; without the flag it passes over it. Hints change no result.
 *
 * @param unlikely by function index, in ascending order: byte offsets from the start of the function's locals
 */
export function branchHints(unlikely: readonly (readonly [number, readonly number[]])[]): Writer {
  const hints = new Writer().add(name('metadata.code.branch_hint')).add(u32(unlikely.length))
  for (const [index, offsets] of unlikely) {
    hints.add([...u32(index), ...u32(offsets.length)])
    for (const offset of offsets) hints.add([...u32(offset), ...NOT_TAKEN])
  }
  return hints
}

/** One byte of value 0. */
const NOT_TAKEN = [1, 0]
