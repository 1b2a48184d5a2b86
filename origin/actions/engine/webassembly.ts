/** The part of WebAssembly that the executor uses; Node's types leave it to those of the browser. */
type Wasm = {
  Module: new (bytes: Uint8Array) => WasmModule
  Memory: new (descriptor: { initial: number; maximum: number }) => WasmMemory
}

export type WasmModule = { readonly brand?: 'compiled module' }

export type WasmMemory = { grow: (pages: number) => number }

export const { Module, Memory } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly
