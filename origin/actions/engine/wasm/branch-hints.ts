import { encodeName, u32, Writer } from './writer.ts'

/**
 * Builds a custom section that marks `if` instructions as unlikely (Branch Hinting proposal). With
 * `--experimental-wasm-branch-hinting`, V8 moves the code of these branches out of loops, together with the register
 * spills around their calls. Without the flag, V8 ignores the section. Hints never change results.
 * @param unlikely function indices in ascending order, each with the byte offsets of the function's unlikely branches,
 * counted from the start of the function's locals
 */
export function branchHints(unlikely: readonly (readonly [number, readonly number[]])[]): Writer {
  const hints = new Writer().add(encodeName('metadata.code.branch_hint')).add(u32(unlikely.length))
  for (const [index, offsets] of unlikely) {
    hints.add([...u32(index), ...u32(offsets.length)])
    for (const offset of offsets) hints.add([...u32(offset), ...NOT_TAKEN])
  }
  return hints
}

/** Encoded hint that a branch is unlikely: the hint's length (one byte) and its value (0). */
const NOT_TAKEN = [1, 0]
