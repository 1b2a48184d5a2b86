/** Part of the WebAssembly API that the executor uses. Node's type definitions do not declare it. */
type Wasm = {
  Module: new (bytes: Uint8Array) => WasmModule
  Instance: new (module: WasmModule, imports: object) => WasmInstance
  Memory: new (descriptor: { initial: number; maximum: number }) => WasmMemory
}

export type WasmModule = { readonly brand?: 'compiled module' }

export type WasmInstance = {
  exports: Record<string, ((...args: number[]) => number) | { value: number }>
}

type WasmMemory = { buffer: ArrayBuffer; grow: (pages: number) => number }

export const { Module, Instance, Memory } = (globalThis as unknown as { WebAssembly: Wasm })
  .WebAssembly
