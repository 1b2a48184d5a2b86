// The engine of the sandbox with fuel checks. Written by `npm run edge-engine`.
import engineModule from './engine.wasm'
import { ACTION_MEMORY_BYTES } from '../../shared/limits.ts'

/** Address in the engine's memory; 0 is the null pointer. */
type Pointer = number

/** Engine functions used for compiling. */
export type Engine = {
  _malloc(bytes: number): Pointer
  _QTS_NewRuntime(): Pointer
  _QTS_NewContext(runtime: Pointer, intrinsics: number): Pointer
  _QTS_RuntimeSetMaxStackSize(runtime: Pointer, bytes: number): void
  _QTS_Eval(
    context: Pointer,
    code: Pointer,
    bytes: number,
    file: Pointer,
    detectModule: number,
    flags: number,
  ): Pointer
  _QTS_ResolveException(context: Pointer, value: Pointer): Pointer
  _QTS_NewString(context: Pointer, text: Pointer): Pointer
  _QTS_GetProp(context: Pointer, value: Pointer, name: Pointer): Pointer
  _QTS_GetString(context: Pointer, value: Pointer): Pointer
}

type Loader = (options: {
  wasmMemory: WebAssembly.Memory
  instantiateWasm(
    imports: WebAssembly.Imports,
    ready: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): WebAssembly.Exports
}) => Promise<Engine>

const PAGE_BYTES = 65_536

/** Smallest memory that the pinned build accepts. */
const INITIAL_PAGES = 256

/** Minified name of the import that the fuel checks call (`origin/actions/engine/fuel.ts`). */
const FUEL_IMPORT = 'i'

/**
 * Fuel checks after which compiling stops. A source of 1 MiB needs up to 170. Sources whose compilation takes quadratic
 * time stop after half a second. A Worker cannot measure time, because its clock stands still during computations.
 */
const FUEL_CHECKS_MAX = 500

/** Compiling a source took too long. */
export class OutOfFuelError extends Error {
  constructor() {
    super('the source takes too long to compile')
    this.name = 'OutOfFuelError'
  }
}

/** The memory of the previous instance, if it has not grown. Each new memory would stay allocated until it is collected. */
let spareMemory: WebAssembly.Memory | undefined

/**
 * Runs a task with a new instance of the engine. An instance is not used again, so that one user's source cannot affect
 * the result for another.
 * @throws {OutOfFuelError}
 * @param task must be synchronous, because the next task uses the same memory
 */
export async function withEngine<Result>(
  task: (engine: Engine, memory: WebAssembly.Memory) => Result,
): Promise<Result> {
  const { default: load } =
    // @ts-expect-error: the package has no types for this entry point
    (await import('@jitl/quickjs-wasmfile-release-sync/emscripten-module')) as { default: Loader }
  const memory = spareMemory ?? newMemory()
  spareMemory = undefined
  new Uint8Array(memory.buffer).fill(0)
  const engine = await load({
    wasmMemory: memory,
    instantiateWasm(imports, ready) {
      let checks = 0
      imports['a']![FUEL_IMPORT] = () => {
        if (++checks > FUEL_CHECKS_MAX) throw new OutOfFuelError()
        return 0
      }
      const instance = new WebAssembly.Instance(engineModule, imports)
      ready(instance, engineModule)
      return instance.exports
    },
  })
  try {
    return task(engine, memory)
  } finally {
    if (memory.buffer.byteLength === INITIAL_PAGES * PAGE_BYTES) spareMemory = memory
  }
}

function newMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({
    initial: INITIAL_PAGES,
    maximum: ACTION_MEMORY_BYTES / PAGE_BYTES,
  })
}
