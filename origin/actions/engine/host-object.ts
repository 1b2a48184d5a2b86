import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten'
import { HOST_CONSTANTS } from '../host/functions.ts'
import type { Gives, HostFunction, HostFunctions } from '../host/host-function.ts'

/**
 * The object through which the prelude reaches the host. It is handed to the prelude's functions and is on no
 * global, so the action itself cannot call it.
 */
export function hostObject(context: QuickJSContext, functions: HostFunctions): QuickJSHandle {
  const host = context.newObject()
  for (const [name, value] of Object.entries(HOST_CONSTANTS))
    context.newNumber(value).consume((handle) => context.setProp(host, name, handle))
  for (const [name, declared] of Object.entries(functions)) {
    const call = (...args: QuickJSHandle[]) =>
      give(context, declared, take(context, declared, args))
    context.newFunction(name, call).consume((handle) => context.setProp(host, name, handle))
  }
  return host
}

function take(context: QuickJSContext, { takes }: HostFunction, args: QuickJSHandle[]): unknown[] {
  let at = 0
  const text = (handle: QuickJSHandle | undefined) =>
    handle !== undefined && context.typeof(handle) === 'string' ? context.getString(handle) : ''
  const number = (handle: QuickJSHandle | undefined) =>
    handle !== undefined && context.typeof(handle) === 'number' ? context.getNumber(handle) : 0
  return takes.map((kind) => {
    const handle = args[at++]
    if (kind === 'text') return text(handle)
    if (kind === 'number') return number(handle)
    if (kind === 'boolean') return handle !== undefined && context.dump(handle) === true
    if (kind === 'json') {
      try {
        return JSON.parse(text(handle)) as unknown
      } catch {
        return undefined
      }
    }
    const [offset, length] = [number(args[at++]), number(args[at++])]
    if (handle === undefined || length === 0) return new Uint8Array(0)
    const whole = context.getArrayBuffer(handle)
    return whole.consume(({ value }) => value.slice(offset, offset + length))
  })
}

function give(
  context: QuickJSContext,
  { gives, call }: HostFunction,
  args: unknown[],
): QuickJSHandle | undefined {
  const given = (call as (...args: unknown[]) => unknown)(...args)
  const kinds: Record<Gives, () => QuickJSHandle | undefined> = {
    nothing: () => undefined,
    text: () => context.newString(given as string),
    number: () => context.newNumber(given as number),
    boolean: () => (given === true ? context.true : context.false),
    bytes: () => context.newArrayBuffer(Uint8Array.from(given as Uint8Array).buffer),
  }
  return kinds[gives]()
}
