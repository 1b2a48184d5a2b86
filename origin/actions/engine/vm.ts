import { hostFunctions } from '../host/functions.ts'
import { type RunHooks, IDLE_HOOKS } from '../host/run-functions.ts'
import { bindHostFunctions } from './bridge.ts'
import { EngineStoppedError, type Pointer, type QuickJs, loadQuickJs } from './quickjs.ts'
import { FUEL_CHECK_ARGUMENT } from './fuel.ts'
import { GuestValues } from './values.ts'
import type { WasmModule } from './webassembly.ts'

/**
 * Stack limit that the engine enforces; permits about 2,900 nested calls of simple functions. The limit must be reached
 * before V8's native stack overflows (`pool/fork.ts`), so that an action can catch the error of an endless recursion.
 */
const GUEST_STACK_BYTES = 512 * 1024

/**
 * Number of host calls between two clock checks. The engine checks the clock only once in 10,000 polls, which is not
 * enough, because each host call may hash a long text.
 */
const HOST_CALLS_PER_CHECK = 32

/** Prelude functions that the host calls, each with the part of the prelude that exports it. */
export const ENTRY_POINTS = {
  receive: 'drive',
  begin: 'drive',
  fire: 'timers',
  settle: 'operations',
  uncaught: 'errors',
} as const

export type EntryPoint = keyof typeof ENTRY_POINTS

export type GuestArgument = string | number | boolean | Uint8Array

/** QuickJS runtime with one context. Used both to build the template and to execute actions. */
export class Vm {
  readonly engine: QuickJs
  readonly runtime: Pointer
  readonly values: GuestValues
  hooks: RunHooks = IDLE_HOOKS
  entries!: Record<EntryPoint, Pointer>
  file: Pointer
  /**
   * True if an exception has unwound the engine, which leaves the C stack in an unknown state. A reset clears the flag.
   */
  trapped = false
  readonly #lastContext: Pointer
  #hostCalls = 0

  /**
   * Creates a virtual machine. All instances perform the same steps in the same order, so that their pointers match
   * those in the template.
   * @param wallClock time of the guest's `Date`, in Unix milliseconds
   * @default Date.now
   */
  static async create(module: WasmModule, wallClock?: () => number): Promise<Vm> {
    return new Vm(await loadQuickJs(module, wallClock))
  }

  private constructor(engine: QuickJs) {
    const { native } = engine
    this.engine = engine
    const functions = hostFunctions(() => this.hooks)
    let calls: ((args: Pointer) => Pointer)[] = []
    engine.callbacks = {
      callFunction: (_asyncify, _context, _self, _count, args, id) => {
        if (++this.#hostCalls % HOST_CALLS_PER_CHECK === 0 && this.hooks.mustStop())
          throw new EngineStoppedError()
        return calls[id]?.(args) ?? 0
      },
      shouldInterrupt: (_asyncify, runtime) => this.#shouldInterrupt(runtime),
    }
    this.runtime = native._QTS_NewRuntime()
    native._QTS_RuntimeSetMaxStackSize(this.runtime, GUEST_STACK_BYTES)
    native._QTS_RuntimeEnableInterruptHandler(this.runtime)
    this.values = new GuestValues(engine, native._QTS_NewContext(this.runtime, 0))
    this.file = this.values.cString('action.js').at
    this.#lastContext = native._malloc(4)
    calls = bindHostFunctions(engine, this.values, functions)
  }

  /** Returns the thrown value, or undefined if the source did not throw. */
  evaluate(code: string): Pointer | undefined {
    const result = this.values.evaluate(code, this.file)
    return 'thrown' in result ? result.thrown : undefined
  }

  /** Returns false if the function threw, which happens only when memory or time runs out. */
  call(entry: EntryPoint, args: readonly GuestArgument[]): boolean {
    const pointers = args.map((value) => this.#toGuest(value))
    const called = this.callWith(entry, pointers)
    // Free the arguments immediately, because params may occupy megabytes of the action's 64 MiB.
    for (const [at, value] of pointers.entries())
      if (typeof args[at] !== 'boolean') this.values.free(value)
    return called
  }

  callWith(entry: EntryPoint, pointers: readonly Pointer[]): boolean {
    return 'value' in this.values.call(this.entries[entry], pointers)
  }

  get hasJobs(): boolean {
    return this.engine.native._QTS_IsJobPending(this.runtime) === 1
  }

  /** Returns false if a job was interrupted. */
  runJobs(most: number): boolean {
    const { native } = this.engine
    const status = native._QTS_ExecutePendingJob(this.runtime, most, this.#lastContext)
    return native._QTS_ResolveException(this.values.context, status) === 0
  }

  #toGuest(value: GuestArgument): Pointer {
    if (typeof value === 'string') return this.values.text(value)
    if (typeof value === 'number') return this.values.number(value)
    if (typeof value === 'boolean') return this.values.boolean(value)
    return this.values.arrayBuffer(value)
  }

  /** Interrupt callback of the engine (`INTERRUPT_IMPORT`). In a native loop, only an exception stops the run. */
  #shouldInterrupt(runtime: Pointer): 0 | 1 {
    if (!this.hooks.mustStop()) return 0
    if (runtime === FUEL_CHECK_ARGUMENT) throw new EngineStoppedError()
    return 1
  }
}

export function hostFunctionNames(): string[] {
  return Object.keys(hostFunctions(() => IDLE_HOOKS))
}
