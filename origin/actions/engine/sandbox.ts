import { randomFillSync } from 'node:crypto'
import { IDLE_HOOKS } from '../host/run-functions.ts'
import { STACK_TOP, STATIC_END } from './layout.ts'
import type { Template } from './template.ts'
import { hostFunctionNames, Vm } from './vm.ts'
import type { WasmModule } from './webassembly.ts'

/**
 * Size of the C stack's part that is cleared after an ordinary run: the guest's stack limit (`vm.ts`), and the same
 * size again for the engine's C functions. Clearing all 5 MiB would make the kernel commit memory for the whole stack.
 */
const STACK_USED_BYTES = 1024 * 1024

const SEEDS_PER_BATCH = 256

const ZEROS = new Uint8Array(64 * 1024)

function isZero(part: Buffer): boolean {
  for (let at = 0; at < part.length; at += ZEROS.length) {
    const piece = part.subarray(at, at + ZEROS.length)
    if (piece.compare(ZEROS, 0, piece.length) !== 0) return false
  }
  return true
}

/** Virtual machine with memory that is restored from the template after each run. */
export class Sandbox {
  readonly vm: Vm
  readonly #template: Template
  readonly #random: BigUint64Array
  readonly #seeds = new BigUint64Array(SEEDS_PER_BATCH)
  #nextSeed = SEEDS_PER_BATCH

  /**
   * @param wallClock time of the guest's `Date`, in Unix milliseconds
   * @default Date.now
   */
  static async create(
    module: WasmModule,
    template: Template,
    wallClock?: () => number,
  ): Promise<Sandbox> {
    return new Sandbox(await Vm.create(module, wallClock), template)
  }

  private constructor(vm: Vm, template: Template) {
    const { places } = template
    const { engine, values } = vm
    // The template's pointers are valid only if this instance has the same memory layout.
    const same =
      vm.runtime === places.runtime &&
      values.context === places.context &&
      vm.file === places.file &&
      engine.stackPointer.get() === places.stackPointer &&
      hostFunctionNames().join() === places.hostFunctions.join()
    if (!same) throw new Error('the memory layout of this sandbox differs from the template’s')
    this.vm = vm
    this.#template = template
    this.#random = new BigUint64Array(engine.bytes.buffer, places.random, 1)
    vm.entries = places.entries
    this.reset()
  }

  /**
   * Restores the memory, except for the part of the C stack that ordinary runs do not reach.
   * @returns the number of bytes that the run had allocated beyond the template
   */
  reset(): number {
    const { vm } = this
    const { engine } = vm
    const { statics, heap, places } = this.#template
    const { bytes, stackPointer, heapEnd } = engine
    const end = Math.max(heapEnd.get(), places.break)
    vm.hooks = IDLE_HOOKS
    stackPointer.set(places.stackPointer)
    bytes.set(heap, STACK_TOP)
    bytes.fill(0, places.break, end)
    heapEnd.set(places.break)
    bytes.fill(0, vm.trapped ? STATIC_END : STACK_TOP - STACK_USED_BYTES, STACK_TOP)
    bytes.set(statics, 0)
    this.#random[0] = this.#randomSeed()
    vm.trapped = false
    engine.exhausted = false
    return end - places.break
  }

  /**
   * Compares the whole memory (64 MiB) with the template. Returns the start of the first section that differs, or
   * undefined if the memory is equal to the template.
   */
  firstDifference(): number | undefined {
    const { bytes } = this.vm.engine
    const { statics, heap, places } = this.#template
    const bits = this.#random[0] ?? 0n
    this.#random[0] = new DataView(heap.buffer, heap.byteOffset).getBigUint64(
      places.random - STACK_TOP,
      true,
    )
    const parts = [
      { at: 0, like: statics },
      { at: STATIC_END, like: undefined, end: STACK_TOP },
      { at: STACK_TOP, like: heap },
      { at: places.break, like: undefined, end: bytes.length },
    ]
    const found = parts.find(({ at, like, end }) =>
      like === undefined
        ? !isZero(bytes.subarray(at, end))
        : bytes.compare(like, 0, like.length, at, at + like.length) !== 0,
    )
    this.#random[0] = bits
    return found?.at
  }

  /** A seed is never zero, because the generator does not advance from a zero state. */
  #randomSeed(): bigint {
    if (this.#nextSeed === SEEDS_PER_BATCH) {
      randomFillSync(this.#seeds)
      this.#nextSeed = 0
    }
    return (this.#seeds[this.#nextSeed++] ?? 0n) | 1n
  }
}
