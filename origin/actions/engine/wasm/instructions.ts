import { type Reader, WasmLayoutError } from './reader.ts'

/** Opcodes that the rewriter interprets or inserts (WebAssembly 2.0, section 5.4). */
export const OP = {
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  brTable: 0x0e,
  call: 0x10,
  callIndirect: 0x11,
  drop: 0x1a,
  localGet: 0x20,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  i32Store: 0x36,
  i32Const: 0x41,
  i32LtS: 0x48,
  i32GtU: 0x4b,
  i32Sub: 0x6b,
  i32ShrU: 0x76,
  memoryCopy: 0xfc_0a,
  memoryFill: 0xfc_0b,
} as const

/** Encodings of the empty block type and of the value type i32. */
export const NO_RESULT = 0x40
export const I32 = 0x7f

export const MUTABLE = 0x01

/**
 * Iterates over the instructions of one function, as emitted by a C compiler without threads, vectors and exceptions.
 * Throws on `memory.grow`, on instructions that modify tables, and on newer instructions.
 */
export class InstructionCursor {
  /** Position and operands of the current instruction: offset, function or type index, and branch depths. */
  at = 0
  index = 0
  readonly depths: number[] = []
  readonly #reader: Reader

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Returns the next opcode. Prefixed opcodes are returned as two bytes, prefix first. */
  next(): number {
    const reader = this.#reader
    this.at = reader.at
    const opcode = reader.byte()
    if (opcode >= 0x45 && opcode <= 0xc4) return opcode
    if (opcode >= 0x28 && opcode <= 0x3e) {
      reader.u32()
      reader.u32()
      return opcode
    }
    switch (opcode) {
      case 0x00: // unreachable
      case 0x01: // nop
      case 0x05: // else
      case OP.end:
      case 0x0f: // return
      case OP.drop:
      case 0x1b: // select
        return opcode
      case OP.block:
      case OP.loop:
      case OP.if:
        this.#blockType()
        return opcode
      case OP.br:
      case OP.brIf:
        this.depths.length = 0
        this.depths.push(reader.u32())
        return opcode
      case OP.brTable:
        this.depths.length = 0
        // The label count excludes the default label, so one more label is read.
        for (let left = reader.u32(); left >= 0; left--) this.depths.push(reader.u32())
        return opcode
      case OP.localGet:
      case 0x21: // local.set
      case OP.localTee:
      case OP.globalGet:
      case OP.globalSet:
      case OP.call:
        this.index = reader.u32()
        return opcode
      case OP.callIndirect:
        this.index = reader.u32()
        reader.expect(0x00, 'call through table 0')
        return opcode
      case 0x3f: // memory.size
        reader.expect(0x00, 'memory 0')
        return opcode
      case OP.i32Const:
        reader.skipNumber(5)
        return opcode
      case 0x42: // i64.const
        reader.skipNumber(10)
        return opcode
      case 0x43: // f32.const
        reader.skip(4)
        return opcode
      case 0x44: // f64.const
        reader.skip(8)
        return opcode
      case 0xfc:
        return this.#prefixed()
    }
    throw new WasmLayoutError(this.at, `has the unknown instruction 0x${opcode.toString(16)}`)
  }

  #blockType(): void {
    const start = this.#reader.at
    const type = this.#reader.byte()
    // Blocks with parameters or several results have a type index instead of a value type.
    if (type !== NO_RESULT && (type < 0x7c || type > 0x7f))
      throw new WasmLayoutError(start, 'has a block of an unknown type')
  }

  #prefixed(): number {
    const operation = this.#reader.u32()
    if (operation <= 7) return 0xfc_00 | operation // saturating truncations
    const memories = { 0x0a: 2, 0x0b: 1 }[operation]
    if (memories === undefined)
      throw new WasmLayoutError(this.at, `has the unknown instruction 0xfc ${operation}`)
    for (let i = 0; i < memories; i++) this.#reader.expect(0x00, 'memory 0')
    return 0xfc_00 | operation
  }
}
