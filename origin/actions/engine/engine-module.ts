import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { BRANCH_HINTING_FLAG, withFuel } from './fuel.ts'
import { type WasmModule, Module } from './webassembly.ts'

const WASM = '@jitl/quickjs-wasmfile-release-sync/wasm'

/** @throws if another build is installed */
export function engineBytes(): Uint8Array {
  const require = createRequire(import.meta.url)
  const engine = createRequire(require.resolve('quickjs-emscripten'))
  return withFuel(readFileSync(engine.resolve(WASM)))
}

/** Called once per process; all instances share the module. */
export function compileEngine(bytes: Uint8Array): WasmModule {
  setFlagsFromString(BRANCH_HINTING_FLAG)
  return new Module(bytes)
}
