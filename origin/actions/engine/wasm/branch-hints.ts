import { name, u32, Writer } from './writer.ts'

/**
 * Encodes a custom section that marks `if`s as unlikely (Branch Hinting proposal). With
 * `--experimental-wasm-branch-hinting`, V8 moves their code, and the register spills around the calls in it, out of the
 * loops. Without the flag V8 ignores the section. Hints never change results.
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

/** Hint of one byte with value 0: the branch is unlikely. */
const NOT_TAKEN = [1, 0]
