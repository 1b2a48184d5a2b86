import { createHash } from 'node:crypto'
import { branchHints } from './wasm/branch-hints.ts'
import { cycleBreakers } from './wasm/call-cycles.ts'
import { refillBody, insertFuelChecks } from './wasm/fuel-checks.ts'
import { addHeapEnd } from './wasm/heap-end.ts'
import { I32, MUTABLE } from './wasm/instructions.ts'
import { type WasmLayout, readLayout, SECTION } from './wasm/module.ts'
import { encodeI32Const, appendItem, u32, Writer, writeSection } from './wasm/writer.ts'

/** SHA-256 of the engine, @jitl/quickjs-wasmfile-release-sync 0.32.0. No other module may be rewritten. */
const ENGINE_SHA256 = '105c3bed22d457e43e3d1c3c1c6959fda62a8fe06f0fc8a985303c3a2be72232'

/**
 * Minified import name of the engine's interrupt callback (i32 to i32). The interpreter passes the address of its
 * runtime, and unwinds if the result is 1. A fuel check passes `FUEL_CHECK_ARGUMENT`, which is never an address, and
 * ignores the result. During a fuel check, the run can therefore be stopped only by an exception.
 */
export const INTERRUPT_IMPORT = 'i'
export const FUEL_CHECK_ARGUMENT = 0

/**
 * Number of loop iterations between two calls to the host. They take about 0.1 ms in the tightest loop, and 3 ms in the
 * slowest loop found (`docs/decisions/0014`). A call to the host costs about a microsecond.
 */
const FUEL_PERIOD = 100_000

/**
 * V8 flag that halves the cost of the fuel checks (`wasm/branch-hints.ts`). Must be set before the module is compiled.
 */
export const BRANCH_HINTING_FLAG = '--experimental-wasm-branch-hinting'

/**
 * Adds a fuel counter to the engine. QuickJS checks the clock only in its interpreter and not inside built-ins, so a
 * single call could otherwise take hours. The counter is decremented at every backward branch, at the entry of enough
 * functions to cover every recursion, and for bulk copies and fills in proportion to their size. When the counter falls
 * below zero, it is refilled and the host is called. The counter is a WebAssembly global without a memory address or
 * export, so no guest can access it.
 *
 * The module also exports the end of the heap (`wasm/heap-end.ts`). The result depends only on the input bytes.
 * @throws if the module is not the pinned build
 */
export function withFuel(module: Uint8Array): Uint8Array {
  const digest = createHash('sha256').update(module).digest('hex')
  if (digest !== ENGINE_SHA256)
    throw new Error(
      `the engine is not the build that fuel.ts supports: its SHA-256 is ${digest}, expected ${ENGINE_SHA256}`,
    )
  return addFuel(addHeapEnd(module))
}

/**
 * Adds fuel checks like `withFuel`, to any module that has the expected layout.
 * @throws WasmLayoutError
 */
export function addFuel(module: Uint8Array): Uint8Array {
  const layout = readLayout(module)
  const fuel = { global: layout.globals, refill: layout.imports.length + layout.bodies.length }
  const code = instrumentedCode(layout, fuel)
  const written = new Writer().add(module.subarray(0, 8))
  for (const { id, at, end } of layout.sections) {
    const section = module.subarray(at, end)
    if (id === SECTION.function) {
      writeSection(
        written,
        id,
        appendItem(section, layout.bodies.length, u32(voidFunctionType(layout))),
      )
    } else if (id === SECTION.global) {
      const counter = [I32, MUTABLE, ...encodeI32Const(FUEL_PERIOD)]
      writeSection(written, id, appendItem(section, layout.globals, counter))
    } else if (id === SECTION.code) {
      writeSection(written, SECTION.custom, branchHints(code.unlikely))
      writeSection(written, id, code.section)
    } else writeSection(written, id, new Writer().add(section))
  }
  return written.toBytes()
}

function instrumentedCode(layout: WasmLayout, fuel: { global: number; refill: number }) {
  const atEntry = cycleBreakers(layout)
  const section = new Writer().add(u32(layout.bodies.length + 1))
  const unlikely: [number, number[]][] = []
  for (const body of layout.bodies) {
    const checked = insertFuelChecks(layout.bytes, body, fuel, atEntry.has(body.index))
    if (checked.unlikely.length > 0) unlikely.push([body.index, checked.unlikely])
    section.add(u32(checked.bytes.length)).append(checked.bytes)
  }
  const refill = refillBody(fuel.global, FUEL_PERIOD, FUEL_CHECK_ARGUMENT, interruptImport(layout))
  section.add(u32(refill.length)).append(refill)
  return { section, unlikely }
}

function interruptImport({ imports, types }: WasmLayout): number {
  const index = imports.findIndex(({ name }) => name === INTERRUPT_IMPORT)
  const type = types[imports[index]?.type ?? -1]
  if (type?.parameters.join() !== `${I32}` || type.results.join() !== `${I32}`)
    throw new Error(`the engine's import ${INTERRUPT_IMPORT} is not the interrupt handler`)
  return index
}

function voidFunctionType({ types }: WasmLayout): number {
  const index = types.findIndex((type) => type.parameters.length + type.results.length === 0)
  if (index < 0) throw new Error('the engine has no function type without parameters and results')
  return index
}
