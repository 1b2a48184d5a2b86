import { type Engine, OutOfFuelError, withEngine } from './engine.ts'

/** Position in a source. Both numbers start at 1, and columns count characters, as in stack traces of runs. */
export type CompileError = { message: string; line: number; column: number }

/** `JS_EVAL_FLAG_COMPILE_ONLY` of QuickJS: compiles a script without running it. */
const COMPILE_ONLY = 1 << 5

/** Stack of the engine. A Worker has a smaller stack than the processes that run actions. */
const STACK_BYTES = 256 * 1024

const FILE = 'action.js'
const OUT_OF_RESOURCES = /^(stack overflow|out of memory)$/
const POSITION = /\baction\.js:(\d+)(?::(\d+))?/

/**
 * Compiles a source with the engine that runs actions. Returns undefined if the source compiles, and also if this could
 * not be determined, for example because the source is nested too deeply for the stack of a Worker, or takes too long.
 */
export async function compileErrorOf(source: string): Promise<CompileError | undefined> {
  try {
    return await withEngine((engine, memory) => compile(engine, memory, source))
  } catch (error) {
    if (isUndetermined(error)) return undefined
    throw error
  }
}

/** The engine ran out of fuel or memory, or V8 out of stack. */
const isUndetermined = (error: unknown) =>
  error instanceof OutOfFuelError ||
  error instanceof WebAssembly.RuntimeError ||
  error instanceof RangeError

function compile(
  engine: Engine,
  memory: WebAssembly.Memory,
  source: string,
): CompileError | undefined {
  const runtime = engine._QTS_NewRuntime()
  engine._QTS_RuntimeSetMaxStackSize(runtime, STACK_BYTES)
  const context = engine._QTS_NewContext(runtime, 0)
  const code = copy(engine, memory, source)
  const file = copy(engine, memory, FILE)
  const value = engine._QTS_Eval(context, code.at, code.length, file.at, 0, COMPILE_ONLY)
  const thrown = engine._QTS_ResolveException(context, value)
  if (thrown === 0) return undefined
  const property = (name: string) => {
    const key = engine._QTS_NewString(context, copy(engine, memory, name).at)
    const text = engine._QTS_GetString(context, engine._QTS_GetProp(context, thrown, key))
    return readCString(memory, text)
  }
  const message = property('message')
  // Other errors depend on the resources of the machine, which differ from those of the sandbox.
  if (property('name') !== 'SyntaxError' || OUT_OF_RESOURCES.test(message)) return undefined
  const position = POSITION.exec(property('stack'))
  return {
    message,
    line: Number(position?.[1] ?? 1),
    column: Number(position?.[2] ?? 1),
  }
}

function copy(engine: Engine, memory: WebAssembly.Memory, text: string) {
  const encoded = new TextEncoder().encode(text)
  const at = engine._malloc(encoded.length + 1)
  if (at === 0) throw new RangeError('the engine has no memory left for the source')
  const target = new Uint8Array(memory.buffer, at, encoded.length + 1)
  target.set(encoded)
  target[encoded.length] = 0
  return { at, length: encoded.length }
}

function readCString(memory: WebAssembly.Memory, at: number): string {
  const bytes = new Uint8Array(memory.buffer)
  return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)))
}
