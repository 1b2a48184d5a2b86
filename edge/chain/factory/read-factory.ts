import { ambiguousLayouts } from '../decoding/ambiguous-layouts.ts'
import { addressProblem } from '../read-addresses.ts'
import type { EventSignature } from '../signature/event-signature.ts'
import { EventSignatureError } from '../signature/event-signature-error.ts'
import { parseEventSignature } from '../signature/parse-event-signature.ts'
import { signatureWithIndexed } from '../signature/signature-with-indexed.ts'
import { argumentOf } from '../where/read-where.ts'
import type { FactoryFilter } from './factory-filter.ts'

type FactoryProblem = { field: string; problem: string; fix: string }

const FIELDS = ['address', 'event', 'parameter']
const FIX = `Send an object with ${FIELDS.join(', ')}.`

/** Returns the factory of a chain event, which takes the place of its contracts. */
export function readFactory({
  factory,
  contract_address: contract,
  addresses,
}: Record<string, unknown>): FactoryFilter | FactoryProblem {
  const field = 'config.factory'
  if (typeof factory !== 'object' || factory === null || Array.isArray(factory))
    return { field, problem: 'expected an object', fix: FIX }
  for (const [name, value] of Object.entries({ contract_address: contract, addresses }))
    if (value !== undefined && value !== null)
      return { field, problem: `cannot be combined with ${name}`, fix: 'Send only one of them.' }
  const other = Object.keys(factory).find((key) => !FIELDS.includes(key))
  if (other !== undefined)
    return { field: `${field}.${other.slice(0, 64)}`, problem: 'unknown field', fix: FIX }
  const { address, event, parameter } = factory as Record<string, unknown>
  const wrong = addressProblem(address)
  if (wrong) return { field: `${field}.address`, ...wrong }
  const signature = readEvent(event)
  if ('problem' in signature) return { field: `${field}.event`, ...signature }
  const argument = readParameter(parameter, signature)
  if (typeof argument !== 'number') return { field: `${field}.parameter`, ...argument }
  return {
    address: String(address).toLowerCase(),
    topic0: signature.topic0,
    signature: String(event),
    argument,
  }
}

type Problem = Omit<FactoryProblem, 'field'>

function readEvent(text: unknown): EventSignature | Problem {
  const fix =
    'Send the event by which the factory names new contracts, as it declares it, such as PairCreated(address indexed token0, address indexed token1, address pair, uint256).'
  if (text === undefined) return { problem: 'required', fix }
  if (typeof text !== 'string') return { problem: 'expected a string', fix }
  try {
    const signature = parseEventSignature(text)
    const [layout] = ambiguousLayouts(signature, 0)
    if (!layout) return signature
    return {
      problem: 'does not mark the indexed arguments',
      fix: `Mark them as the factory declares them, for example ${signatureWithIndexed(signature, layout)}.`,
    }
  } catch (error) {
    if (!(error instanceof EventSignatureError)) throw error
    const better = `${error.fix[0]!.toUpperCase()}${error.fix.slice(1)}.`
    return { problem: `at position ${error.position}: ${error.problem}`, fix: better }
  }
}

function readParameter(name: unknown, { inputs }: EventSignature): number | Problem {
  const addresses = inputs
    .map(({ type, name: own }, at) => (type.kind === 'address' ? (own ?? `arg${at}`) : ''))
    .filter((own) => own !== '')
  const fix =
    addresses.length > 0
      ? `Send the argument that is the new contract: ${addresses.join(' or ')}.`
      : 'Send an event that has an address as argument.'
  if (name === undefined) return { problem: 'required', fix }
  if (typeof name !== 'string') return { problem: 'expected a string', fix }
  const argument = argumentOf(name, inputs)
  if (argument === 'ambiguous')
    return { problem: 'several arguments have this name', fix: 'Use arg0, arg1 and so on.' }
  if (argument === undefined) return { problem: 'the event has no such argument', fix }
  if (inputs[argument]!.type.kind !== 'address') return { problem: 'not an address', fix }
  return argument
}
