import type { AbiValue } from './abi-type.ts'
import { DeniedError } from './denial.ts'
import { type EffectOf, FUNCTION_EFFECTS } from './effects.ts'
import {
  type ContractFunction,
  decodeCall,
  parseFunction,
  SELECTOR_CHARACTERS,
} from './function-signature.ts'

export type KnownFunction = ContractFunction & { effect: EffectOf }

let functions: Map<string, KnownFunction> | undefined

/** Returns the well-known function with an effect on tokens, or with nested calls. */
export function knownFunction(selector: string): KnownFunction | undefined {
  functions ??= new Map(
    Object.entries(FUNCTION_EFFECTS).map(([signature, effect]) => {
      const parsed = parseFunction(signature)
      return [parsed.selector, { ...parsed, effect }]
    }),
  )
  return functions.get(selector)
}

/** Decodes the calls of one transaction at most once for each function. */
export class Calldata {
  readonly data: string
  /** Undefined if there is no data. */
  readonly selector: string | undefined
  #latest: DecodedCall | undefined
  readonly #decoded = new Map<string, readonly AbiValue[]>()

  /** @param data lower-case 0x hex */
  constructor(data: string) {
    this.data = data
    this.selector = data === '0x' ? undefined : data.slice(0, SELECTOR_CHARACTERS)
  }

  /** @throws {DeniedError} if the data is shorter than a selector */
  requireSelector(): void {
    if (this.selector !== undefined && this.data.length < SELECTOR_CHARACTERS)
      throw new DeniedError('no_selector', 'the data is shorter than a function selector')
  }

  /** @throws {DeniedError} */
  argumentsOf(called: ContractFunction): readonly AbiValue[] {
    const known = this.#decoded.get(called.canonical)
    if (known) return known
    const values = decodeCall(called, this.data)
    this.#decoded.set(called.canonical, values)
    this.#latest = { called, values }
    return values
  }

  /** The function that was decoded last, with its arguments. */
  get latest(): DecodedCall | undefined {
    return this.#latest
  }
}

export type DecodedCall = { called: ContractFunction; values: readonly AbiValue[] }
