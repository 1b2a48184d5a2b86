import { tryParseJson } from '../../../shared/json/try-parse-json.ts'
import type { HostFunction, HostFunctions } from '../host/host-function.ts'
import { EngineStoppedError, type Pointer, type QuickJs } from './quickjs.ts'
import type { GuestValues } from './values.ts'

/** Size in bytes of a guest value in the argument array of a call. */
const VALUE_BYTES = 8

type HostCall = (args: Pointer) => Pointer

/**
 * Binds the host functions so that the guest can call each one by its index. The template contains these indices, so
 * the order of the functions must be the same in every process.
 */
export function bindHostFunctions(
  engine: QuickJs,
  values: GuestValues,
  functions: HostFunctions,
): HostCall[] {
  return Object.values(functions).map((declared) => {
    const call = marshaled(values, declared)
    return (args) => {
      try {
        return call(args)
      } catch (error) {
        if (error instanceof EngineStoppedError || engine.exhausted) throw error
        return throwInGuest(engine, values, error)
      }
    }
  })
}

export function createHostObject(
  engine: QuickJs,
  values: GuestValues,
  functions: HostFunctions,
  constants: Record<string, number>,
): Pointer {
  const { native } = engine
  const host = native._QTS_NewObject(values.context)
  for (const [name, value] of Object.entries(constants))
    values.setProperty(host, name, values.number(value))
  for (const [id, [name, { takes }]] of Object.entries(functions).entries()) {
    const { at } = values.cString(name)
    const fn = native._QTS_NewFunction(values.context, at, takes.length, 0, id)
    native._free(at)
    values.setProperty(host, name, fn)
  }
  return host
}

/**
 * Wraps a host function to decode its arguments and encode its result. The engine frees the returned value; 0 stands
 * for undefined.
 */
function marshaled(values: GuestValues, { takes, gives, call }: HostFunction): HostCall {
  const apply = call as (...args: unknown[]) => unknown
  let slots = 0
  const readers = takes.map((kind) => {
    const at = slots * VALUE_BYTES
    slots += kind === 'bytes' ? 3 : 1
    return { kind, at }
  })
  const give = resultEncoder(values, gives)
  const gather = (args: Pointer, from: number, taken: unknown[]): Pointer => {
    for (let index = from; index < readers.length; index++) {
      const { kind, at } = readers[index] as (typeof readers)[number]
      const value = args + at
      if (kind === 'text') taken.push(values.readText(value))
      else if (kind === 'number') taken.push(values.readNumber(value))
      else if (kind === 'boolean') taken.push(values.readBoolean(value))
      else if (kind === 'json') taken.push(tryParseJson(values.readText(value)))
      else {
        const offset = values.readNumber(value + VALUE_BYTES)
        const length = values.readNumber(value + 2 * VALUE_BYTES)
        return values.readBytes(value, offset, length, (part) => {
          taken.push(part)
          return gather(args, index + 1, taken)
        })
      }
    }
    return give(apply(...taken))
  }
  return (args) => gather(args, 0, [])
}

function resultEncoder(
  values: GuestValues,
  gives: HostFunction['gives'],
): (given: unknown) => Pointer {
  switch (gives) {
    case 'nothing':
      return () => 0
    case 'text':
      return (given) => values.text(given as string)
    case 'number':
      return (given) => values.number(given as number)
    case 'boolean':
      return (given) => values.duplicate(values.boolean(given as boolean))
    case 'bytes':
      return (given) => values.arrayBuffer(given as Uint8Array)
  }
}

function throwInGuest({ native }: QuickJs, values: GuestValues, error: unknown): Pointer {
  const message = error instanceof Error ? error.message : 'internal error in a host function'
  const guestError = native._QTS_NewError(values.context)
  values.setProperty(
    guestError,
    'message',
    values.text(message.toWellFormed().replaceAll('\0', '')),
  )
  return native._QTS_Throw(values.context, guestError)
}
