import { hostFunctions } from '../host/functions.ts'
import type { RunHooks } from '../host/run-functions.ts'
import { IDLE_HOOKS } from '../host/run-functions.ts'
import { hostCalls } from './bridge.ts'
import { EngineStopped } from './engine-stopped.ts'
import { FUEL_ASKS } from './fuel.ts'
import type { Pointer, QuickJs } from './quickjs.ts'
import { loadQuickJs } from './quickjs.ts'
import { Values } from './values.ts'
import type { WasmModule } from './webassembly.ts'

/**
 * The guest's own stack limit. About 2,900 plain calls; small enough that it is reached before V8's native stack
 * (`pool/fork.ts`), so that endless recursion is an error which the action can catch.
 */
export const GUEST_STACK_BYTES = 512 * 1024

/** Calls into the host between two looks at the clock: the engine itself looks once in 10,000, and each may hash a text. */
const HOST_CALLS_PER_LOOK = 32

/** Functions of the prelude that the host calls. */
export const ENTRIES = {
  receive: 'drive',
  begin: 'drive',
  fire: 'timers',
  settle: 'operations',
  uncaught: 'errors',
} as const

export type Entry = keyof typeof ENTRIES

/** Whatever may be handed to the guest by value. */
export type Passed = string | number | boolean | Uint8Array

/** A runtime with one context, before or after its memory is set to the snapshot's. */
export class Vm {
  readonly engine: QuickJs
  readonly runtime: Pointer
  readonly values: Values
  /** Replaced for each run; every host function and the question whether to stop go through it. */
  hooks: RunHooks = IDLE_HOOKS
  /** Where the prelude's functions are, and the name of the action's script. */
  entries!: Record<Entry, Pointer>
  file: Pointer
  /** True after the engine was left in the middle of its work: its C stack is in no known state. */
  trapped = false
  readonly #lastContext: Pointer
  #hostCalls = 0

  /** The same steps in the same order for every instance: the snapshot fits, because every pointer comes out the same. */
  static async create(module: WasmModule): Promise<Vm> {
    return new Vm(await loadQuickJs(module))
  }

  private constructor(engine: QuickJs) {
    const { native } = engine
    this.engine = engine
    const functions = hostFunctions(() => this.hooks)
    let calls: ((args: Pointer) => Pointer)[] = []
    engine.callbacks = {
      callFunction: (_asyncify, _context, _self, _count, args, id) => {
        if (++this.#hostCalls % HOST_CALLS_PER_LOOK === 0 && this.hooks.mustStop())
          throw new EngineStopped()
        return calls[id]?.(args) ?? 0
      },
      shouldInterrupt: (_asyncify, runtime) => this.#shouldInterrupt(runtime),
    }
    this.runtime = native._QTS_NewRuntime()
    native._QTS_RuntimeSetMaxStackSize(this.runtime, GUEST_STACK_BYTES)
    native._QTS_RuntimeEnableInterruptHandler(this.runtime)
    this.values = new Values(engine, native._QTS_NewContext(this.runtime, 0))
    this.file = this.values.cString('action.js').at
    this.#lastContext = native._malloc(4)
    calls = hostCalls(engine, this.values, functions)
  }

  /** Evaluates an action's source; what it threw, if it did. */
  evaluate(code: string): Pointer | undefined {
    const result = this.values.evaluate(code, this.file)
    return 'thrown' in result ? result.thrown : undefined
  }

  /** True unless the function threw, which the prelude's do only when memory or time is up. */
  call(entry: Entry, args: readonly Passed[]): boolean {
    const handed = args.map((value) => this.#pass(value))
    const called = this.callWith(entry, handed)
    // Params may be megabytes, and the action has 64.
    for (const [at, value] of handed.entries())
      if (typeof args[at] !== 'boolean') this.values.free(value)
    return called
  }

  callWith(entry: Entry, handed: readonly Pointer[]): boolean {
    return 'value' in this.values.call(this.entries[entry], handed)
  }

  get hasJobs(): boolean {
    return this.engine.native._QTS_IsJobPending(this.runtime) === 1
  }

  /** Runs up to `most` of the jobs that wait; false when one was cut short. */
  runJobs(most: number): boolean {
    const { native } = this.engine
    const status = native._QTS_ExecutePendingJob(this.runtime, most, this.#lastContext)
    return native._QTS_ResolveException(this.values.context, status) === 0
  }

  #pass(value: Passed): Pointer {
    if (typeof value === 'string') return this.values.text(value)
    if (typeof value === 'number') return this.values.number(value)
    if (typeof value === 'boolean') return this.values.boolean(value)
    return this.values.arrayBuffer(value)
  }

  /** The interpreter asks with its runtime, and unwinds; a native loop asks with none, and only a throw ends it. */
  #shouldInterrupt(runtime: Pointer): 0 | 1 {
    if (!this.hooks.mustStop()) return 0
    if (runtime === FUEL_ASKS) throw new EngineStopped()
    return 1
  }
}

/** In the order of their numbers, which are in the snapshot. */
export function hostFunctionNames(): string[] {
  return Object.keys(hostFunctions(() => IDLE_HOOKS))
}
