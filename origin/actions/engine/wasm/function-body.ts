import { InstructionCursor, OP } from './instructions.ts'
import { Reader, WasmLayoutError } from './reader.ts'

/**
 * Instruction that needs a fuel check: a backward branch, which can loop forever, or a bulk operation of unbounded
 * size.
 */
export type FuelSite =
  | { kind: 'bulk'; at: number }
  | { kind: 'back_branch'; at: number; end: number; conditional: boolean; depth: number }
  | { kind: 'back_table'; at: number }

export type FunctionBody = {
  /** Index of the function in the module, where imported functions come first. */
  index: number
  /** Offset of the function's locals, which follow the size of the entry. */
  at: number
  /** Number of groups of declared locals, and offset of the first group. */
  localGroups: number
  localsAt: number
  /** Number of parameters and locals. The next added local gets this number as its index. */
  locals: number
  codeAt: number
  end: number
  /** Indices of directly called functions, and types of functions called through the table. */
  calls: Set<number>
  callTypes: Set<number>
  sites: FuelSite[]
}

export function readFunctionBody(reader: Reader, index: number, parameters: number): FunctionBody {
  const size = reader.u32()
  const at = reader.at
  const end = at + size
  const localGroups = reader.u32()
  const localsAt = reader.at
  let locals = parameters
  for (let i = 0; i < localGroups; i++) {
    locals += reader.u32()
    reader.byte()
  }
  const calls = new Set<number>()
  const callTypes = new Set<number>()
  const codeAt = reader.at
  const sites = readFuelSites(new Reader(reader.bytes, codeAt, end), calls, callTypes)
  reader.skip(end - codeAt)
  return { index, at, localGroups, localsAt, locals, codeAt, end, calls, callTypes, sites }
}

function readFuelSites(reader: Reader, calls: Set<number>, callTypes: Set<number>): FuelSite[] {
  const code = new InstructionCursor(reader)
  const sites: FuelSite[] = []
  /** Enclosing blocks, outermost first. True marks a loop: a branch to a loop leads backward. */
  const isLoop = [false]
  const leadsBack = (depth: number) => isLoop[isLoop.length - 1 - depth] === true
  while (isLoop.length > 0) {
    const opcode = code.next()
    switch (opcode) {
      case OP.block:
      case OP.if:
        isLoop.push(false)
        break
      case OP.loop:
        isLoop.push(true)
        break
      case OP.end:
        isLoop.pop()
        break
      case OP.br:
      case OP.brIf: {
        const depth = code.depths[0] ?? 0
        if (!leadsBack(depth)) break
        const conditional = opcode === OP.brIf
        sites.push({ kind: 'back_branch', at: code.at, end: reader.at, conditional, depth })
        break
      }
      case OP.brTable:
        if (code.depths.some(leadsBack)) sites.push({ kind: 'back_table', at: code.at })
        break
      case OP.call:
        calls.add(code.index)
        break
      case OP.callIndirect:
        callTypes.add(code.index)
        break
      case OP.memoryCopy:
      case OP.memoryFill:
        sites.push({ kind: 'bulk', at: code.at })
    }
  }
  if (reader.at !== reader.end) throw new WasmLayoutError(reader.at, 'has code after a function')
  return sites
}
