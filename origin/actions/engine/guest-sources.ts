import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ethersSource } from '../ethers/ethers-source.ts'
import type { WasmModule } from './webassembly.ts'
import { Module } from './webassembly.ts'

/** Text and compiled code that every sandbox starts from; read once, at the executor's start. */
export type GuestSources = {
  wasm: WasmModule
  ethers: string
  prelude: Record<PreludePart, string>
}

/** In the order in which they are loaded; each is handed what the earlier ones returned. */
export const PRELUDE_PARTS = [
  'primordials',
  'errors',
  'base64',
  'crypto',
  'console',
  'timers',
  'operations',
  'svc',
  'result',
  'drive',
] as const

export type PreludePart = (typeof PRELUDE_PARTS)[number]

const WASM = '@jitl/quickjs-wasmfile-release-sync/wasm'

export function readGuestSources(): GuestSources {
  const require = createRequire(import.meta.url)
  const engine = createRequire(require.resolve('quickjs-emscripten'))
  const prelude = {} as Record<PreludePart, string>
  for (const part of PRELUDE_PARTS) prelude[part] = functionExpression(part)
  return {
    wasm: new Module(readFileSync(engine.resolve(WASM))),
    ethers: ethersSource(),
    prelude,
  }
}

/**
 * A prelude file exports one function. It is evaluated as an expression and not as a module: modules
 * have names, by which an action could import them.
 */
function functionExpression(part: PreludePart): string {
  const text = readFileSync(new URL(`../guest/${part}.js`, import.meta.url), 'utf8')
  return `'use strict';(${text.replace('export default ', '')})`
}
