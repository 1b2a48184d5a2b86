/** What may cross from the sandbox to the host, and back. Objects never do: only text, numbers and bytes. */
type Taken = {
  /** Up to its first NUL, for that is how the engine hands it out: hex, names, JSON that the host passes on. */
  text: string
  /** Text that the host parses; any string crosses whole in it. */
  json: unknown
  number: number
  boolean: boolean
  /** Three arguments in the guest: an ArrayBuffer, an offset and a length. A copy, good for this call only. */
  bytes: Uint8Array
}

type Given = {
  nothing: void
  /** Without NUL: hex, a name, or JSON. */
  text: string
  number: number
  boolean: boolean
  /** An ArrayBuffer in the guest. */
  bytes: Uint8Array
}

export type Takes = keyof Taken
export type Gives = keyof Given

/** A function of the host that the prelude, and only the prelude, may call. */
export type HostFunction = {
  takes: readonly Takes[]
  gives: Gives
  call: (...args: never[]) => Given[Gives]
}

/** By name; the order is part of every sandbox's layout. */
export type HostFunctions = Record<string, HostFunction>

/**
 * Declares one. Arguments of another type arrive as '', 0, false or no bytes; JSON that does not parse as undefined.
 * An Error that `call` throws is an Error with that message in the guest.
 */
export function hostFunction<const T extends readonly Takes[], const G extends Gives>(
  takes: T,
  gives: G,
  call: (...args: { [I in keyof T]: Taken[T[I]] }) => Given[G],
): HostFunction {
  return { takes, gives, call: call as unknown as HostFunction['call'] }
}
