/** Types that may cross between the sandbox and the host: text, numbers, booleans and bytes, but never objects. */
type Taken = {
  /** Text up to its first NUL, where the engine cuts it off: hex, names, and JSON that the host passes on. */
  text: string
  /** JSON that the host parses. Any string can cross in it unchanged. */
  json: unknown
  number: number
  boolean: boolean
  /**
   * Three arguments in the guest: an ArrayBuffer, an offset and a length. A view of the guest's memory, valid for this
   * call only.
   */
  bytes: Uint8Array
}

type Given = {
  nothing: void
  /** Must not contain NUL: hex, a name, or JSON. */
  text: string
  number: number
  boolean: boolean
  /** An ArrayBuffer in the guest. */
  bytes: Uint8Array
}

export type Takes = keyof Taken
export type Gives = keyof Given

/** A host function that only the prelude may call. */
export type HostFunction = {
  takes: readonly Takes[]
  gives: Gives
  call: (...args: never[]) => Given[Gives]
}

/** Host functions by name. The order is part of every sandbox's layout. */
export type HostFunctions = Record<string, HostFunction>

/**
 * Declares a host function. An argument of another type arrives as '', 0, false or no bytes, and JSON that does not
 * parse as undefined. If `call` throws an Error, the guest gets an Error with the same message.
 */
export function hostFunction<const T extends readonly Takes[], const G extends Gives>(
  takes: T,
  gives: G,
  call: (...args: { [I in keyof T]: Taken[T[I]] }) => Given[G],
): HostFunction {
  return { takes, gives, call: call as unknown as HostFunction['call'] }
}
