import { type FunctionBody, readFunctionBody } from './function-body.ts'
import { Reader, WasmLayoutError } from './reader.ts'

/** IDs of the sections of a WebAssembly module (WebAssembly 2.0, section 5.5.2). */
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

/** Section 12 (data count) comes before section 10 (code). */
const ORDER: readonly number[] = [1, 2, 3, 4, 6, 7, 8, 9, 12, 10, 11]

type WasmSection = { id: number; at: number; end: number }

/** Parameters and results of a function, as encoded value types such as 0x7f for i32. */
type FunctionType = { parameters: number[]; results: number[] }

export type WasmLayout = {
  bytes: Uint8Array
  sections: WasmSection[]
  types: FunctionType[]
  /** Imported functions. `type` is the index of the function's type. */
  imports: { name: string; type: number }[]
  /** Type indices of the functions that the module defines. */
  functionTypes: number[]
  globals: number
  exports: number
  tableFunctions: number[]
  bodies: FunctionBody[]
}

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]

/**
 * The module must contain all expected sections and no custom section.
 * @throws WasmLayoutError
 */
export function readLayout(bytes: Uint8Array): WasmLayout {
  const sections = readSections(bytes)
  const section = (id: number) => {
    const found = sections.find((one) => one.id === id)
    if (found === undefined) throw new WasmLayoutError(bytes.length, `has no section ${id}`)
    return new Reader(bytes, found.at, found.end)
  }
  const types = readVector(section(SECTION.type), readType)
  const imports = readVector(section(SECTION.import), readImport).filter((one) => one !== undefined)
  const functionTypes = readVector(section(SECTION.function), (reader) => reader.u32())
  let index = imports.length
  const bodies = readVector(section(SECTION.code), (reader) => {
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
    tableFunctions: readVector(section(SECTION.element), readElements).flat(),
    bodies,
  }
}

function readSections(bytes: Uint8Array): WasmSection[] {
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

function readVector<T>(reader: Reader, read: (reader: Reader) => T): T[] {
  const items = Array.from({ length: reader.u32() }, () => read(reader))
  reader.done()
  return items
}

function readType(reader: Reader): FunctionType {
  reader.expect(0x60, 'function type')
  const valueTypes = () => Array.from({ length: reader.u32() }, () => reader.byte())
  return { parameters: valueTypes(), results: valueTypes() }
}

/** Returns undefined if the import is the memory. */
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

/** Parses the element segment that fills the table: flag 0, `i32.const n`, function indices. */
function readElements(reader: Reader): number[] {
  reader.expect(0x00, 'active element segment')
  reader.expect(0x41, 'constant table offset')
  reader.skipNumber(5)
  reader.expect(0x0b, 'end of the table offset')
  return Array.from({ length: reader.u32() }, () => reader.u32())
}
