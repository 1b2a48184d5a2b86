import type { FunctionBody } from './function-body.ts'
import { readFunctionBody } from './function-body.ts'
import { Reader, WasmLayoutError } from './reader.ts'

/** Section IDs (WebAssembly 2.0, section 5.5.2). */
export const SECTION = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  code: 10,
  data: 11,
  dataCount: 12,
} as const

/** Required order of the sections in a module; section 12 comes before section 10. */
const ORDER: readonly number[] = [1, 2, 3, 4, 6, 7, 8, 9, 12, 10, 11]

export type Section = { id: number; at: number; end: number }

/** Value types, such as 0x7f for i32. */
export type FunctionType = { parameters: number[]; results: number[] }

export type WasmLayout = {
  bytes: Uint8Array
  sections: Section[]
  types: FunctionType[]
  /** Names and type indices of imported functions. */
  imports: { name: string; type: number }[]
  /** Type indices of the module's own functions. */
  functionTypes: number[]
  globals: number
  exports: number
  /** Functions in the table, which indirect calls can reach. */
  tableFunctions: number[]
  bodies: FunctionBody[]
}

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]

/**
 * Reads a module as written by Emscripten: it must have all of these sections and no custom section.
 * @throws WasmLayoutError
 */
export function readLayout(bytes: Uint8Array): WasmLayout {
  const sections = readSections(bytes)
  const section = (id: number) => {
    const found = sections.find((one) => one.id === id)
    if (found === undefined) throw new WasmLayoutError(bytes.length, `has no section ${id}`)
    return new Reader(bytes, found.at, found.end)
  }
  const types = vector(section(SECTION.type), readType)
  const imports = vector(section(SECTION.import), readImport).filter((one) => one !== undefined)
  const functionTypes = vector(section(SECTION.function), (reader) => reader.u32())
  let index = imports.length
  const bodies = vector(section(SECTION.code), (reader) => {
    const type = types[functionTypes[index - imports.length] ?? -1]
    if (type === undefined) throw new WasmLayoutError(reader.at, 'has code without a type')
    return readFunctionBody(reader, index++, type.parameters.length)
  })
  return {
    bytes,
    sections,
    types,
    imports,
    functionTypes,
    globals: section(SECTION.global).u32(),
    exports: section(SECTION.export).u32(),
    tableFunctions: vector(section(SECTION.element), readElements).flat(),
    bodies,
  }
}

function readSections(bytes: Uint8Array): Section[] {
  const reader = new Reader(bytes)
  for (const byte of HEADER) reader.expect(byte, 'header of WebAssembly 1')
  const sections = []
  while (reader.at < bytes.length) {
    const id = reader.byte()
    const size = reader.u32()
    sections.push({ id, at: reader.at, end: reader.at + size })
    reader.skip(size)
  }
  if (sections.map(({ id }) => id).join() !== ORDER.join())
    throw new WasmLayoutError(0, 'has other sections than expected')
  return sections
}

function vector<T>(reader: Reader, read: (reader: Reader) => T): T[] {
  const items = Array.from({ length: reader.u32() }, () => read(reader))
  reader.done()
  return items
}

function readType(reader: Reader): FunctionType {
  reader.expect(0x60, 'function type')
  const valueTypes = () => Array.from({ length: reader.u32() }, () => reader.byte())
  return { parameters: valueTypes(), results: valueTypes() }
}

/** Returns an imported function, or undefined for the memory. */
function readImport(reader: Reader): { name: string; type: number } | undefined {
  reader.name()
  const name = reader.name()
  const start = reader.at
  const kind = reader.byte()
  if (kind === 0x00) return { name, type: reader.u32() }
  if (kind !== 0x02) throw new WasmLayoutError(start, 'imports a table or a global')
  const hasMaximum = reader.byte() === 0x01
  reader.u32()
  if (hasMaximum) reader.u32()
  return undefined
}

/** Reads a segment that fills the table: flag 0, `i32.const n`, function indices. */
function readElements(reader: Reader): number[] {
  reader.expect(0x00, 'active element segment')
  reader.expect(0x41, 'constant table offset')
  reader.skipNumber(5)
  reader.expect(0x0b, 'end of the table offset')
  return Array.from({ length: reader.u32() }, () => reader.u32())
}
