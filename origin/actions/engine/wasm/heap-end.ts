import { I32, MUTABLE, NO_RESULT, OP } from './instructions.ts'
import { readLayout, SECTION } from './module.ts'
import { WasmLayoutError } from './reader.ts'
import { encodeI32Const, encodeName, appendItem, s32, u32, Writer, writeSection } from './writer.ts'

export const HEAP_END_EXPORT = 'heapEnd'

/** Address at which the pinned build's allocator stores the end of the heap. */
const BREAK_AT = 86_864
const GLOBAL_EXPORT = 0x03

/** Code in `sbrk` that stores local 0 as the new end of the heap. The engine has no other store to `BREAK_AT`. */
const MOVES_END = Buffer.from([OP.i32Const, ...s32(BREAK_AT), OP.localGet, 0, OP.i32Store, 2, 0])

/**
 * Exports a global that contains the highest end of the heap so far. A guest that breaks out of the engine could
 * overwrite the allocator's own value in memory, so that memory beyond that value would survive a reset. A global has
 * no memory address, so only `sbrk` and the host can write it.
 * @throws WasmLayoutError
 */
export function addHeapEnd(module: Uint8Array): Uint8Array {
  const layout = readLayout(module)
  const bodies = layout.bodies.flatMap((body) => {
    const code = Buffer.from(module.buffer, module.byteOffset + body.codeAt, body.end - body.codeAt)
    const at = code.indexOf(MOVES_END)
    return at === -1 ? [] : [{ ...body, movesAt: body.codeAt + at }]
  })
  const [sbrk] = bodies
  if (sbrk === undefined || bodies.length > 1)
    throw new WasmLayoutError(0, `moves the heap's end in ${bodies.length} functions instead of 1`)

  const end = u32(layout.globals)
  const isHigher = [OP.localGet, 0, OP.globalGet, ...end, OP.i32GtU]
  const raise = [...isHigher, OP.if, NO_RESULT, OP.localGet, 0, OP.globalSet, ...end, OP.end]
  const written = new Writer().add(module.subarray(0, 8))
  for (const { id, at, end: sectionEnd } of layout.sections) {
    const section = module.subarray(at, sectionEnd)
    if (id === SECTION.global)
      writeSection(
        written,
        id,
        appendItem(section, layout.globals, [I32, MUTABLE, ...encodeI32Const(0)]),
      )
    else if (id === SECTION.export) {
      const entry = [...encodeName(HEAP_END_EXPORT), GLOBAL_EXPORT, ...end]
      writeSection(written, id, appendItem(section, layout.exports, entry))
    } else if (id === SECTION.code) {
      const size = sbrk.end - sbrk.at
      const code = new Writer()
        .add(module.subarray(at, sbrk.at - u32(size).length))
        .add(u32(size + raise.length))
        .add(module.subarray(sbrk.at, sbrk.movesAt))
        .add(raise)
        .add(module.subarray(sbrk.movesAt, sectionEnd))
      writeSection(written, id, code)
    } else writeSection(written, id, new Writer().add(section))
  }
  return written.toBytes()
}
