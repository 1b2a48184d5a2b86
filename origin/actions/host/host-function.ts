/**
 * Argument types of host functions. Only text, numbers, booleans and bytes can be passed between the sandbox and the
 * host, but no objects.
 */
type Taken = {
  /**
   * Text without NUL, such as hex, names, or JSON that the host passes on. The engine truncates text at its first NUL.
   */
  text: string
  /** Value that the guest passes as JSON text and the host parses. Within JSON, any string can be passed unchanged. */
  json: unknown
  number: number
  boolean: boolean
  /**
   * View of the guest's memory, valid only during the call. In the guest, it is passed as three arguments: an
   * ArrayBuffer, an offset and a length.
   */
  bytes: Uint8Array
}

type Given = {
  nothing: void
  /** Text that must not contain NUL, such as hex, a name, or JSON. */
  text: string
  number: number
  boolean: boolean
  /** Bytes, which the guest receives as an ArrayBuffer. */
  bytes: Uint8Array
}

export type Takes = keyof Taken
export type Gives = keyof Given

/** A host function with its argument types and result type. Only the prelude can call it directly. */
export type HostFunction = {
  takes: readonly Takes[]
  gives: Gives
  call: (...args: never[]) => Given[Gives]
}

/**
 * Host functions by name. Their order must be the same in every process, because the template contains their indices.
 */
export type HostFunctions = Record<string, HostFunction>

/**
 * Declares a host function. If an argument has the wrong type, `call` receives '', 0, false or empty bytes instead; for
 * invalid JSON, it receives undefined. If `call` throws an Error, the guest gets an Error with the same message.
 */
export function hostFunction<const T extends readonly Takes[], const G extends Gives>(
  takes: T,
  gives: G,
  call: (...args: { [I in keyof T]: Taken[T[I]] }) => Given[G],
): HostFunction {
  return { takes, gives, call: call as unknown as HostFunction['call'] }
}
