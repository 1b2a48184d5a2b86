import { createHash } from 'node:crypto'
import { branchHints } from './wasm/branch-hints.ts'
import { cycleBreakers } from './wasm/call-cycles.ts'
import { refillBody, withChecks } from './wasm/fuel-checks.ts'
import { addHeapEnd } from './wasm/heap-end.ts'
import { I32, MUTABLE } from './wasm/instructions.ts'
import type { WasmLayout } from './wasm/module.ts'
import { readLayout, SECTION } from './wasm/module.ts'
import { constant, oneMore, u32, Writer, writeSection } from './wasm/writer.ts'

/** SHA-256 of the one module that is rewritten: @jitl/quickjs-wasmfile-release-sync 0.32.0. */
export const ENGINE_SHA256 = '105c3bed22d457e43e3d1c3c1c6959fda62a8fe06f0fc8a985303c3a2be72232'

/**
 * The import through which the engine asks whether to go on, in the names of that build: i32 to i32. The interpreter
 * asks with the address of its runtime, and unwinds when the answer is 1. When fuel has run out it is asked with
 * `FUEL_ASKS`, which is no address; the answer is not read, and only a throw ends the run.
 */
export const ASK_IMPORT = 'i'
export const FUEL_ASKS = 0

/**
 * Turns of loops between two questions to the host: 0.1 ms of the tightest loop, 3 ms of the slowest that we found
 * (`docs/decisions/0014-native-loops.md`). The question costs a microsecond.
 */
export const FUEL_PERIOD = 100_000

/** For `v8.setFlagsFromString` before the module is compiled: the checks then cost half (`wasm/branch-hints.ts`). */
export const BRANCH_HINTING_FLAG = '--experimental-wasm-branch-hinting'

/**
 * QuickJS looks at the clock in its interpreter only, and not inside what a built-in does: one call may take hours.
 * This adds a counter to the module and takes from it at every branch back to a loop's start, at the start of enough
 * functions that no recursion avoids them, and for the bytes of every bulk copy and fill. When it is below zero it is
 * filled again and the host is asked. The counter is a global of the instance: it has no address in the memory, is
 * not exported, and no instruction of the engine names it, so nothing that a guest does reaches it.
 *
 * The result also exports the end of its heap (`wasm/heap-end.ts`). A pure function of bytes.
 * @throws when it is another module
 */
export function withFuel(module: Uint8Array): Uint8Array {
  const digest = createHash('sha256').update(module).digest('hex')
  if (digest !== ENGINE_SHA256)
    throw new Error(
      `the engine is not the build that fuel.ts knows: its SHA-256 is ${digest}, not ${ENGINE_SHA256}`,
    )
  return addFuel(addHeapEnd(module))
}

/** The rewriting itself, for any module of that layout. @throws WasmLayoutError */
export function addFuel(module: Uint8Array): Uint8Array {
  const layout = readLayout(module)
  const fuel = { global: layout.globals, refill: layout.imports.length + layout.bodies.length }
  const code = checkedCode(layout, fuel)
  const written = new Writer().add(module.subarray(0, 8))
  for (const { id, at, end } of layout.sections) {
    const section = module.subarray(at, end)
    if (id === SECTION.function) {
      writeSection(written, id, oneMore(section, layout.bodies.length, u32(procedureType(layout))))
    } else if (id === SECTION.global) {
      const counter = [I32, MUTABLE, ...constant(FUEL_PERIOD)]
      writeSection(written, id, oneMore(section, layout.globals, counter))
    } else if (id === SECTION.code) {
      writeSection(written, SECTION.custom, branchHints(code.unlikely))
      writeSection(written, id, code.section)
    } else writeSection(written, id, new Writer().add(section))
  }
  return written.toBytes()
}

function checkedCode(layout: WasmLayout, fuel: { global: number; refill: number }) {
  const atEntry = cycleBreakers(layout)
  const section = new Writer().add(u32(layout.bodies.length + 1))
  const unlikely: [number, number[]][] = []
  for (const body of layout.bodies) {
    const checked = withChecks(layout.bytes, body, fuel, atEntry.has(body.index))
    if (checked.unlikely.length > 0) unlikely.push([body.index, checked.unlikely])
    section.add(u32(checked.bytes.length)).append(checked.bytes)
  }
  const refill = refillBody(fuel.global, FUEL_PERIOD, FUEL_ASKS, askImport(layout))
  section.add(u32(refill.length)).append(refill)
  return { section, unlikely }
}

function askImport({ imports, types }: WasmLayout): number {
  const index = imports.findIndex(({ name }) => name === ASK_IMPORT)
  const type = types[imports[index]?.type ?? -1]
  if (type?.parameters.join() !== `${I32}` || type.results.join() !== `${I32}`)
    throw new Error(`the engine's import ${ASK_IMPORT} is not the one that asks whether to go on`)
  return index
}

/** The type of a function that takes and gives nothing. */
function procedureType({ types }: WasmLayout): number {
  const index = types.findIndex((type) => type.parameters.length + type.results.length === 0)
  if (index < 0) throw new Error('the engine has no function without parameters and results')
  return index
}
