import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { QuickJSContext } from 'quickjs-emscripten'
import { newQuickJSWASMModuleFromVariant, newVariant, RELEASE_SYNC } from 'quickjs-emscripten'
import { INTERRUPT_IMPORT, FUEL_CHECK_ARGUMENT } from '../../../origin/actions/engine/fuel.ts'

type Wasm = {
  Module: (new (bytes: Uint8Array) => object) & {
    exports(module: object): { name: string; kind: string }[]
    imports(module: object): { module: string; name: string; kind: string }[]
  }
  Instance: new (module: object, imports: object) => { exports: Record<string, () => number> }
  Memory: new (pages: { initial: number; maximum: number }) => { buffer: ArrayBuffer }
  validate: (bytes: Uint8Array) => boolean
}
export const { Module, Instance, Memory, validate } = (
  globalThis as unknown as { WebAssembly: Wasm }
).WebAssembly

/** The unmodified engine from its package. */
export function stockModule(): Uint8Array {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('quickjs-emscripten'))
  return new Uint8Array(readFileSync(resolve('@jitl/quickjs-wasmfile-release-sync/wasm')))
}

export class Stopped extends Error {}

export type TestEngine = {
  context: QuickJSContext
  memory: Uint8Array
  stackPointer: { get(): number; set(pointer: number): void }
  /**
   * Fuel is refused after this time, on the clock of `performance`. The interpreter's own check never stops the
   * program, so that only fuel does.
   */
  deadline: number
  /** Number of calls to the host: when fuel ran out, and by the interpreter's own check. */
  asked: { fuel: number; interpreter: number }
  /** @returns the program's value, or what it threw, as JSON text @throws Stopped */
  run(code: string): string
}

/** Creates a runtime on any build of the engine. Its clock is frozen, so that two engines behave identically. */
export async function createTestEngine(
  bytes: Uint8Array,
  { pages = 1024, stackBytes = 512 * 1024 } = {},
): Promise<TestEngine> {
  const wasmMemory = new Memory({ initial: pages, maximum: pages })
  const engine = { deadline: Infinity, asked: { fuel: 0, interpreter: 0 } } as TestEngine
  const instantiateWasm = (
    imports: { a: Record<string, (...args: number[]) => number> },
    ready: (instance: object, module: object) => void,
  ) => {
    const ask = imports.a[INTERRUPT_IMPORT]
    const withAsk = (runtime: number) => {
      if (runtime !== FUEL_CHECK_ARGUMENT) return ask?.(runtime) ?? 0
      engine.asked.fuel++
      if (performance.now() > engine.deadline) throw new Stopped()
      return 0
    }
    const module = new Module(bytes)
    const now = () => 1_700_000_000_000
    const a = { ...imports.a, [INTERRUPT_IMPORT]: withAsk, p: now }
    const { exports } = new Instance(module, { a })
    const set = exports['Ma'] as unknown as (pointer: number) => void
    engine.stackPointer = { get: () => exports['Oa']?.() ?? 0, set }
    ready({ exports }, module)
    return exports
  }
  const options = { wasmMemory, emscriptenModule: { instantiateWasm } }
  const variant = newVariant(RELEASE_SYNC, options as unknown as Parameters<typeof newVariant>[1])
  const context = (await newQuickJSWASMModuleFromVariant(variant)).newContext()
  context.runtime.setMaxStackSize(stackBytes)
  context.runtime.setInterruptHandler(() => {
    engine.asked.interpreter++
    return false
  })
  const run = (code: string) => {
    const result = context.evalCode(code, 'program.js', { type: 'global' })
    const handle = result.error ?? result.value
    const value: unknown = context.dump(handle)
    handle.dispose()
    return JSON.stringify([result.error === undefined ? 'value' : 'thrown', value], (_key, part) =>
      typeof part === 'bigint' ? `${part}n` : part,
    )
  }
  return Object.assign(engine, { context, memory: new Uint8Array(wasmMemory.buffer), run })
}
