/** Explains requests in words. Names of tokens come from the policy, and everything else from the bytes to be signed. */
import { DeniedError } from './denial.ts'
import { effectOfType, type Movement } from './effects.ts'
import { type Calldata, type DecodedCall, knownFunction } from './known-functions.ts'
import type { Subject } from './mismatch.ts'
import type { Message } from './request.ts'
import type { Scope } from './scope.ts'
import { maxFee, maxGasPrice, type Transaction } from './transaction.ts'
import type { TypedData } from './typed-data.ts'
import { amountWords, argumentWords, cut, plural } from './words.ts'

/** Returns one sentence for each effect of the request. */
export function explainRequest(subject: Subject, scope: Scope): string[] {
  switch (subject.kind) {
    case 'transaction':
      return explainTransaction(subject.transaction, subject.calldata, scope)
    case 'message':
      return [explainMessage(subject.message)]
    case 'typed_data':
      return explainTypedData(subject.typedData, scope)
    case 'digest':
      return [`Signs the digest ${subject.digest}, whose meaning is unknown.`]
  }
}

function explainTransaction(transaction: Transaction, calldata: Calldata, scope: Scope): string[] {
  const { chainId, to, value, gasLimit } = transaction
  const sentences: string[] = []
  if (to === null) sentences.push(`Creates a contract on chain ${chainId}.`)
  else if (calldata.selector !== undefined)
    sentences.push(...explainCall(transaction, to, calldata, scope))
  if (value > 0n || sentences.length === 0)
    sentences.push(`Sends ${value} wei${to === null ? '' : ` to ${to}`} on chain ${chainId}.`)
  sentences.push(
    `Pays at most ${maxFee(transaction)} wei for ${gasLimit} gas at ${maxGasPrice(transaction)} wei.`,
  )
  return sentences
}

function explainCall(
  { chainId }: Transaction,
  contract: string,
  calldata: Calldata,
  scope: Scope,
): string[] {
  const known = knownCall(calldata)
  const effect = known?.effect(known.values, contract)
  const movements = effect?.movements ?? []
  if (movements.length > 0) return movementsWords(movements, scope, chainId)
  const call: DecodedCall | undefined = known ?? calldata.latest
  if (!call)
    return [
      `Calls the function ${calldata.selector} of ${contract} on chain ${chainId}, with ${plural((calldata.data.length - 2) / 2, 'byte')} of data.`,
    ]
  const given = argumentWords(call.called.arguments, call.values)
  return [`Calls ${call.called.name}(${given}) of ${contract} on chain ${chainId}.`]
}

function knownCall(calldata: Calldata) {
  const called = knownFunction(calldata.selector ?? '')
  if (!called) return undefined
  try {
    return { called, effect: called.effect, values: calldata.argumentsOf(called) }
  } catch (error) {
    if (error instanceof DeniedError) return undefined
    throw error
  }
}

/** A batch can have thousands. */
const SHOWN_MOVEMENTS = 20

function movementsWords(
  movements: readonly Movement[],
  scope: Scope,
  chain: bigint | undefined,
): string[] {
  const shown = movements
    .slice(0, SHOWN_MOVEMENTS)
    .map((movement) => movementWords(movement, scope, chain))
  const more = movements.length - shown.length
  return more > 0
    ? [...shown, `And ${plural(more, 'more transfer or approval', 'more transfers or approvals')}.`]
    : shown
}

function movementWords(
  { kind, token, recipient, amount, isUnlimited, isForAll, standard }: Movement,
  scope: Scope,
  chain: bigint | undefined,
): string {
  const known = token === undefined || chain === undefined ? undefined : scope.tokenAt(chain, token)
  const name = known
    ? known.name
    : `the token ${token ?? '(without a contract)'} on chain ${chain ?? '(any)'}`
  if (isForAll) return `Allows ${recipient} to take any amount of ${name}.`
  const isNft = (known?.standard ?? standard) === 'erc721'
  // If the function belongs to both standards, the amount is an ID.
  if (isNft && (standard === undefined || amount === 1n))
    return kind === 'transfer'
      ? `Sends one token of ${name} to ${recipient}.`
      : `Allows ${recipient} to take one token of ${name}.`
  if (isUnlimited) return `Allows ${recipient} to take any amount of ${name}.`
  const sum = known
    ? `${amountWords(amount, known.decimals)} of ${name}`
    : `${amount} units of ${name}`
  return kind === 'transfer'
    ? `Sends ${sum} to ${recipient}.`
    : `Allows ${recipient} to take ${sum}.`
}

function explainMessage({ text, bytes }: Message): string {
  if (text === undefined) return `Signs a message of bytes: ${cut(bytes)}.`
  return `Signs the message ${cut(JSON.stringify(text))}.`
}

function explainTypedData({ domain, primaryType, type, value }: TypedData, scope: Scope): string[] {
  const { name, version, verifyingContract, chainId } = domain
  const application = [
    name === undefined ? 'an unnamed application' : cut(JSON.stringify(name)),
    ...(version === undefined ? [] : [`version ${cut(JSON.stringify(version))}`]),
    ...(verifyingContract === undefined ? [] : [`with the contract ${verifyingContract}`]),
    chainId === undefined ? 'on any chain' : `on chain ${chainId}`,
  ].join(', ')
  const effect = effectOfType(type.encodedType)?.(value, verifyingContract)
  return [
    `Signs ${primaryType}(${argumentWords(type, value)}) for ${application}.`,
    ...movementsWords(effect?.movements ?? [], scope, chainId),
  ]
}
