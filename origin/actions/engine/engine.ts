import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten'
import { newQuickJSWASMModuleFromVariant, newVariant, RELEASE_SYNC } from 'quickjs-emscripten'
import { ACTION_MEMORY_BYTES } from '../../../shared/limits.ts'
import { hostFunctions } from '../host/functions.ts'
import type { RunHooks } from '../host/run-functions.ts'
import { IDLE_HOOKS } from '../host/run-functions.ts'
import type { GuestSources, PreludePart } from './guest-sources.ts'
import { PRELUDE_PARTS } from './guest-sources.ts'
import { hostObject } from './host-object.ts'
import { Memory } from './webassembly.ts'

/** Bytes of one WebAssembly page. */
const PAGE_BYTES = 65_536

/**
 * The guest's own stack limit. About 2,900 plain calls; small enough that it is reached before V8's
 * native stack (`fork.ts`), so that endless recursion is an error which the action can catch.
 */
const GUEST_STACK_BYTES = 512 * 1024

/** A sandbox that has loaded everything but the action. Good for one run, and dropped after it. */
export type Engine = {
  context: QuickJSContext
  /** Replaced for the run; the interrupt handler and every host function go through it. */
  hooks: RunHooks
  /** True once an allocation has found no memory. */
  exhausted: boolean
  /** Functions of the prelude. */
  entry: Record<'receive' | 'begin' | 'fire' | 'settle' | 'uncaught', QuickJSHandle>
}

/**
 * A fresh WebAssembly instance, runtime and context, with the prelude and ethers evaluated. The memory's
 * maximum is its initial size: the engine's own memory limit does not bound what it allocates, and a
 * memory that never grows cannot detach views that the bindings hold.
 */
export async function createEngine(sources: GuestSources): Promise<Engine> {
  const pages = ACTION_MEMORY_BYTES / PAGE_BYTES
  const wasmMemory = new Memory({ initial: pages, maximum: pages })
  const engine = { hooks: IDLE_HOOKS, exhausted: false } as Engine
  // The allocator asks for growth only when it has nothing left: the one reliable sign of exhaustion.
  wasmMemory.grow = () => {
    engine.exhausted = true
    throw new RangeError('the memory of an action does not grow')
  }
  const variant = newVariant(RELEASE_SYNC, { wasmModule: sources.wasm, wasmMemory })
  const module = await newQuickJSWASMModuleFromVariant(variant)
  const runtime = module.newRuntime()
  runtime.setMaxStackSize(GUEST_STACK_BYTES)
  runtime.setInterruptHandler(() => engine.hooks.mustStop())
  engine.context = runtime.newContext()
  refuseNullAllocations(engine.context)
  engine.entry = loadPrelude(engine, sources)
  return engine
}

/**
 * The bindings copy a text into whatever their malloc returned, and that is address 0 when nothing is
 * left: the copy would run over the engine's own state. Throwing instead ends the run.
 */
function refuseNullAllocations(context: QuickJSContext): void {
  const { module } = context as unknown as { module: { _malloc: (bytes: number) => number } }
  const allocate = module._malloc
  module._malloc = (bytes) => {
    const pointer = allocate(bytes)
    if (pointer === 0) throw new RangeError('no memory for a text from the host')
    return pointer
  }
}

function loadPrelude(engine: Engine, sources: GuestSources): Engine['entry'] {
  const { context } = engine
  const host = hostObject(
    context,
    hostFunctions(() => engine.hooks),
  )
  const parts = context.newObject()
  let base = context.undefined
  for (const name of PRELUDE_PARTS) {
    const install = evaluate(context, sources.prelude[name], `svc:${name}.js`)
    const called = context.callFunction(install, context.undefined, host, base, parts)
    const part = context.unwrapResult(called)
    if (name === 'primordials') base = part
    context.setProp(parts, name, part)
  }
  evaluate(context, sources.ethers, 'ethers.js')
  const entry = (part: PreludePart, name: string) =>
    context.getProp(context.getProp(parts, part), name)
  return {
    fire: entry('timers', 'fire'),
    settle: entry('operations', 'settle'),
    receive: entry('drive', 'receive'),
    begin: entry('drive', 'begin'),
    uncaught: entry('errors', 'uncaught'),
  }
}

/** Only for code of ours: an exception's own properties are read by the host here. */
function evaluate(context: QuickJSContext, code: string, file: string): QuickJSHandle {
  return context.unwrapResult(context.evalCode(code, file, { type: 'global' }))
}
