import { FunctionFragment } from 'ethers'
import { type AbiTuple, type AbiValue, argumentsOf } from './abi-type.ts'
import { decodeArguments } from './decode-arguments.ts'
import { DeniedError } from './denial.ts'
import { encodeArguments } from './encode-arguments.ts'

export type ContractFunction = {
  name: string
  /** Canonical signature, for example `transfer(address,uint256)`. */
  canonical: string
  /** First four bytes of the signature's hash, as lower-case 0x hex. */
  selector: string
  arguments: AbiTuple
}

/**
 * Parses a human-readable signature.
 * @example parseFunction('transfer(address to, uint256 amount)')
 * @throws {Error} with the problem
 */
export function parseFunction(text: string): ContractFunction {
  let fragment
  try {
    fragment = FunctionFragment.from(text)
  } catch {
    throw new Error('not a function signature')
  }
  return {
    name: fragment.name,
    canonical: fragment.format('sighash'),
    selector: fragment.selector,
    arguments: argumentsOf(fragment.inputs),
  }
}

/** Length of `0x` and the selector. */
export const SELECTOR_CHARACTERS = 10

/**
 * Decodes the arguments of a call strictly. The values are also encoded again, and the bytes must be equal, so an error
 * in the decoder can only deny a call.
 * @param data calldata with the function's selector, as lower-case 0x hex
 * @throws {DeniedError} if the data is not the canonical encoding of its arguments
 */
export function decodeCall(called: ContractFunction, data: string): readonly AbiValue[] {
  const encoded = data.slice(SELECTOR_CHARACTERS)
  const values = decodeArguments(called.arguments, encoded)
  const types = called.arguments.members.map(({ type }) => type)
  if (encodeArguments(types, values) !== encoded)
    throw new DeniedError('not_canonical', 'the calldata is not the encoding of its arguments')
  return values
}
