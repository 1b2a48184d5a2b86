import { RELEASE_SYNC } from 'quickjs-emscripten'
import { ACTION_MEMORY_BYTES } from '../../../shared/limits.ts'
import { HEAP_END_EXPORT } from './wasm/heap-end.ts'
import { type WasmInstance, type WasmModule, Instance, Memory } from './webassembly.ts'

const PAGE_BYTES = 65_536

/** Minified import name of the function that returns the time for `Date`, in Unix milliseconds. */
const WALL_CLOCK_IMPORT = 'p'

/**
 * Stops a run inside a native loop of the engine, where the interrupt handler is not called. The exception unwinds the
 * engine's WebAssembly frames.
 */
export class EngineStoppedError extends Error {
  constructor() {
    super('the run was stopped inside the engine')
    this.name = 'EngineStoppedError'
  }
}

/** Address in the engine's memory; 0 is the null pointer. */
export type Pointer = number

/** Guest values are passed as pointers to cells that the engine allocates. */
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

/** Set once, before any guest code runs. */
type EngineCallbacks = {
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
  /** Views of the whole linear memory. The views stay valid, because the memory never grows. */
  bytes: Buffer
  words: Uint32Array
  /** C stack pointer, a WebAssembly global that is not in linear memory. */
  stackPointer: { get(): Pointer; set(pointer: Pointer): void }
  /** Highest end of the heap since this global was last set. Guests cannot write WebAssembly globals. */
  heapEnd: { get(): Pointer; set(pointer: Pointer): void }
  exhausted: boolean
  callbacks: EngineCallbacks
}

type LoaderOptions = {
  wasmMemory: unknown
  thisProgram: string
  instantiateWasm(
    imports: { a: object },
    ready: (instance: WasmInstance, module: WasmModule) => void,
  ): object
}
type Loader = (options: LoaderOptions) => Promise<Exports & { callbacks: unknown }>

/**
 * Instantiates the engine with memory that cannot grow. The engine's own memory limit does not bound all of its
 * allocations, and growing the memory would detach the views of it.
 * @param wallClock time of the guest's `Date`, in Unix milliseconds
 * @default Date.now
 */
export async function loadQuickJs(module: WasmModule, wallClock?: () => number): Promise<QuickJs> {
  const pages = ACTION_MEMORY_BYTES / PAGE_BYTES
  const wasmMemory = new Memory({ initial: pages, maximum: pages })
  const quickJs = { exhausted: false } as QuickJs
  // The allocator calls `grow` only when no memory is left, so this call is the only reliable sign of exhaustion.
  wasmMemory.grow = () => {
    quickJs.exhausted = true
    throw new RangeError('the memory of an action cannot grow')
  }
  let exports: WasmInstance['exports'] = {}
  const load = (await RELEASE_SYNC.importModuleLoader()) as unknown as Loader
  const native = await load({
    wasmMemory,
    // The name is stored in the engine's memory, so it must be the same in every process.
    thisProgram: 'svc',
    instantiateWasm(imports, ready) {
      if (wallClock) Object.assign(imports.a, { [WALL_CLOCK_IMPORT]: wallClock })
      const instance = new Instance(module, imports)
      exports = instance.exports
      ready(instance, module)
      return exports
    },
  })
  native.callbacks = {
    ...DISABLED_CALLBACKS,
    callFunction: (...args: Parameters<EngineCallbacks['callFunction']>) =>
      quickJs.callbacks.callFunction(...args),
    shouldInterrupt: (asyncify: undefined, runtime: Pointer) =>
      quickJs.callbacks.shouldInterrupt(asyncify, runtime),
  }
  rejectNullAllocations(native)
  const { Oa: get, Ma: set, [HEAP_END_EXPORT]: end } = exports
  if (typeof get !== 'function' || typeof set !== 'function' || typeof end !== 'object')
    throw new Error('the engine is not the pinned build: its exports have different names')
  return Object.assign(quickJs, {
    native,
    bytes: Buffer.from(wasmMemory.buffer),
    words: new Uint32Array(wasmMemory.buffer),
    stackPointer: { get: () => get(), set: (pointer: Pointer) => void set(pointer) },
    heapEnd: { get: () => end.value, set: (pointer: Pointer) => void (end.value = pointer) },
  })
}

const DISABLED_CALLBACKS = {
  // Does nothing, because all runs share the host functions. If a guest could free one, it would be missing in the next
  // run.
  freeHostRef: () => {},
  loadModuleSource: () => 0,
  normalizeModule: () => 0,
}

/**
 * Makes failed allocations throw, which ends the run. Otherwise, the engine would copy a string to address 0 and
 * overwrite its own state.
 */
function rejectNullAllocations(native: Exports): void {
  const allocate = native._malloc
  native._malloc = (bytes) => {
    const pointer = allocate(bytes)
    if (pointer === 0) throw new RangeError('out of memory while copying a value from the host')
    return pointer
  }
}
