/** Objects cannot be passed between the sandbox and the host. */
type ArgumentTypes = {
  /**
   * Text without NUL, such as hex, names, or JSON that the host passes on. The engine truncates text at its first NUL.
   */
  text: string
  /** JSON value that is passed as text and parsed by the host. Within JSON, any string can be passed unchanged. */
  json: unknown
  number: number
  boolean: boolean
  /**
   * View of the guest's memory, valid only during the call. The guest passes three arguments: ArrayBuffer, offset and
   * length.
   */
  bytes: Uint8Array
}

type ResultTypes = {
  nothing: void
  text: string
  number: number
  boolean: boolean
  /** Bytes that the guest receives as an ArrayBuffer. */
  bytes: Uint8Array
}

type ArgumentType = keyof ArgumentTypes
type ResultType = keyof ResultTypes

/** Only the prelude can call it directly. */
export type HostFunction = {
  takes: readonly ArgumentType[]
  gives: ResultType
  call: (...args: never[]) => ResultTypes[ResultType]
}

/**
 * Host functions by name. Their order must be the same in every process, because the template contains their indices.
 */
export type HostFunctions = Record<string, HostFunction>

/**
 * For an argument of the wrong type, `call` receives '', 0, false or empty bytes, and for invalid JSON, undefined. If
 * `call` throws an Error, the guest gets an Error with the same message.
 */
export function hostFunction<const T extends readonly ArgumentType[], const G extends ResultType>(
  takes: T,
  gives: G,
  call: (...args: { [I in keyof T]: ArgumentTypes[T[I]] }) => ResultTypes[G],
): HostFunction {
  return { takes, gives, call: call as unknown as HostFunction['call'] }
}
