import { RELEASE_SYNC } from 'quickjs-emscripten'
import { ACTION_MEMORY_BYTES } from '../../../shared/limits.ts'
import { HEAP_END_EXPORT } from './wasm/heap-end.ts'
import type { WasmInstance, WasmModule } from './webassembly.ts'
import { Instance, Memory } from './webassembly.ts'

const PAGE_BYTES = 65_536

/** An address in the engine's memory; 0 is the null pointer. */
export type Pointer = number

/** The engine's exports used here. Guest values are passed as pointers to cells that the engine allocates. */
type Exports = {
  _malloc: (this: void, bytes: number) => Pointer
  _free(pointer: Pointer): void
  _QTS_NewRuntime(): Pointer
  _QTS_NewContext(runtime: Pointer, intrinsics: number): Pointer
  _QTS_RuntimeSetMaxStackSize(runtime: Pointer, bytes: number): void
  _QTS_RuntimeEnableInterruptHandler(runtime: Pointer): void
  _QTS_Eval(
    context: Pointer,
    code: Pointer,
    bytes: number,
    file: Pointer,
    detectModule: number,
    flags: number,
  ): Pointer
  _QTS_Call(context: Pointer, fn: Pointer, self: Pointer, count: number, args: Pointer): Pointer
  _QTS_ResolveException(context: Pointer, value: Pointer): Pointer
  _QTS_IsJobPending(runtime: Pointer): number
  _QTS_ExecutePendingJob(runtime: Pointer, most: number, lastContext: Pointer): Pointer
  _QTS_NewObject(context: Pointer): Pointer
  _QTS_NewString(context: Pointer, text: Pointer): Pointer
  _QTS_NewFloat64(context: Pointer, value: number): Pointer
  _QTS_NewArrayBuffer(context: Pointer, bytes: Pointer, length: number): Pointer
  _QTS_NewFunction(
    context: Pointer,
    name: Pointer,
    length: number,
    isConstructor: number,
    hostId: number,
  ): Pointer
  _QTS_NewError(context: Pointer): Pointer
  _QTS_Throw(context: Pointer, error: Pointer): Pointer
  _QTS_GetString(context: Pointer, value: Pointer): Pointer
  _QTS_GetFloat64(context: Pointer, value: Pointer): number
  _QTS_GetArrayBuffer(context: Pointer, value: Pointer): Pointer
  _QTS_GetArrayBufferLength(context: Pointer, value: Pointer): number
  _QTS_GetProp(context: Pointer, value: Pointer, name: Pointer): Pointer
  _QTS_SetProp(context: Pointer, value: Pointer, name: Pointer, property: Pointer): void
  _QTS_DupValuePointer(context: Pointer, value: Pointer): Pointer
  _QTS_FreeValuePointer(context: Pointer, value: Pointer): void
  _QTS_FreeCString(context: Pointer, text: Pointer): void
  _QTS_GetUndefined(): Pointer
  _QTS_GetTrue(): Pointer
  _QTS_GetFalse(): Pointer
}

/** Functions that the engine calls; set once, before any guest code runs. */
export type EngineCallbacks = {
  callFunction(
    asyncify: undefined,
    context: Pointer,
    self: Pointer,
    count: number,
    args: Pointer,
    hostId: number,
  ): Pointer
  shouldInterrupt(asyncify: undefined, runtime: Pointer): 0 | 1
}

export type QuickJs = {
  native: Exports
  /** Views of the whole linear memory. They stay valid because the memory never grows. */
  bytes: Buffer
  words: Uint32Array
  /** The C stack pointer, a WebAssembly global outside the linear memory. */
  stackPointer: { get(): Pointer; set(pointer: Pointer): void }
  /** The highest end of the heap since it was last set: a WebAssembly global that no guest can write. */
  heapEnd: { get(): Pointer; set(pointer: Pointer): void }
  /** True after an allocation has failed. */
  exhausted: boolean
  callbacks: EngineCallbacks
}

type LoaderOptions = {
  wasmMemory: unknown
  thisProgram: string
  instantiateWasm(
    imports: object,
    ready: (instance: WasmInstance, module: WasmModule) => void,
  ): object
}
type Loader = (options: LoaderOptions) => Promise<Exports & { callbacks: unknown }>

/**
 * Creates an instance of the compiled module. The memory's maximum is its initial size for two reasons: the engine's
 * own memory limit does not bound its allocations, and a memory that never grows cannot detach the views of it.
 */
export async function loadQuickJs(module: WasmModule): Promise<QuickJs> {
  const pages = ACTION_MEMORY_BYTES / PAGE_BYTES
  const wasmMemory = new Memory({ initial: pages, maximum: pages })
  const quickJs = { exhausted: false } as QuickJs
  // The allocator requests growth only when no memory is left, which makes this the only reliable sign of exhaustion.
  wasmMemory.grow = () => {
    quickJs.exhausted = true
    throw new RangeError('the memory of an action does not grow')
  }
  let exports: WasmInstance['exports'] = {}
  const load = (await RELEASE_SYNC.importModuleLoader()) as unknown as Loader
  const native = await load({
    wasmMemory,
    // Part of the engine's environment, and so of its memory. Must be the same in every process.
    thisProgram: 'svc',
    instantiateWasm(imports, ready) {
      const instance = new Instance(module, imports)
      exports = instance.exports
      ready(instance, module)
      return exports
    },
  })
  native.callbacks = {
    ...refusals,
    callFunction: (...args: Parameters<EngineCallbacks['callFunction']>) =>
      quickJs.callbacks.callFunction(...args),
    shouldInterrupt: (asyncify: undefined, runtime: Pointer) =>
      quickJs.callbacks.shouldInterrupt(asyncify, runtime),
  }
  refuseNullAllocations(native)
  const { Oa: get, Ma: set, [HEAP_END_EXPORT]: end } = exports
  if (typeof get !== 'function' || typeof set !== 'function' || typeof end !== 'object')
    throw new Error('the engine is not the pinned build: its exports have other names')
  return Object.assign(quickJs, {
    native,
    bytes: Buffer.from(wasmMemory.buffer),
    words: new Uint32Array(wasmMemory.buffer),
    stackPointer: { get: () => get(), set: (pointer: Pointer) => void set(pointer) },
    heapEnd: { get: () => end.value, set: (pointer: Pointer) => void (end.value = pointer) },
  })
}

const refusals = {
  // Host functions outlive every run. If a guest could free one, it would be missing in the next run.
  freeHostRef: () => {},
  loadModuleSource: () => 0,
  normalizeModule: () => 0,
}

/**
 * Makes failed allocations throw. Malloc returns address 0 when no memory is left, and copying a string there would
 * overwrite the engine's own state. The error ends the run.
 */
function refuseNullAllocations(native: Exports): void {
  const allocate = native._malloc
  native._malloc = (bytes) => {
    const pointer = allocate(bytes)
    if (pointer === 0) throw new RangeError('no memory for a value from the host')
    return pointer
  }
}
