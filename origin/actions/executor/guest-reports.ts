import {
  CIPHERTEXT_MAX_CHARACTERS,
  ENCRYPTED_MESSAGE_MAX_BYTES,
  EXECUTION_WALL_MAX_MS,
  RESULT_MAX_BYTES,
  SIGNING_INPUT_MAX_BYTES,
  TRANSACTION_JSON_MAX_CHARACTERS,
} from '../../../shared/limits.ts'
import type { ActionFailure } from '../failure.ts'
import { KEY_ID_MAX_CHARACTERS } from '../key-limit.ts'
import { LOG_LEVELS, type LogLine } from '../../../shared/wire/log-line.ts'
import type { KeyOperation, SigningOperation } from '../run.ts'

/** Outcome of a run as reported by the guest: the returned value as JSON text, or the failure. */
export type ExecutionEnd = { value: string } | { failure: ActionFailure }

export function returnedEnd(json: string): ExecutionEnd {
  const bytes = Buffer.byteLength(json)
  if (bytes <= RESULT_MAX_BYTES) return { value: json }
  const message = `the returned value has ${bytes} bytes of JSON; the limit is ${RESULT_MAX_BYTES}`
  return { failure: { code: 'result_too_large', message, stack: message } }
}

export function readLogLevel(level: string): LogLine['level'] {
  return LOG_LEVELS.find((known) => known === level) ?? 'log'
}

/**
 * Validates a key operation requested by the guest. Returns undefined for any other operation, although the prelude
 * should already have rejected it.
 */
export function readKeyOperation(name: string, argument: unknown): KeyOperation | undefined {
  const id = (field: string) => readText(argument, field, 1, KEY_ID_MAX_CHARACTERS)
  const pkpId = id('pkpId')
  const ipfsId = id('ipfsId')
  const message = readText(argument, 'message', 0, ENCRYPTED_MESSAGE_MAX_BYTES)
  const ciphertext = readText(argument, 'ciphertext', 0, CIPHERTEXT_MAX_CHARACTERS)
  switch (name) {
    case 'getPrivateKey':
      return pkpId === undefined ? undefined : { name, pkpId }
    case 'encrypt':
      return pkpId === undefined || message === undefined ? undefined : { name, pkpId, message }
    case 'decrypt':
      return pkpId === undefined || ciphertext === undefined
        ? undefined
        : { name, pkpId, ciphertext }
    case 'signMessage':
    case 'signTypedData':
    case 'signTransaction':
    case 'signDigest':
      return pkpId === undefined ? undefined : readSigningOperation(name, pkpId, argument)
    case 'sendTransaction': {
      const request = readText(argument, 'request', 1, TRANSACTION_JSON_MAX_CHARACTERS)
      return request === undefined ? undefined : { name, request }
    }
    case 'transaction':
      return readTransactionOperation(argument)
    case 'getSvcActionPrivateKey':
    case 'getTraceparent':
      return { name }
    case 'getSvcActionPublicKey':
    case 'getSvcActionWalletAddress':
      return ipfsId === undefined ? undefined : { name, ipfsId }
    default:
      return undefined
  }
}

function readSigningOperation(
  name: SigningOperation['name'],
  pkpId: string,
  argument: unknown,
): KeyOperation | undefined {
  const text = (field: string, max: number) => readText(argument, field, 1, max)
  const hexMax = 2 + 2 * SIGNING_INPUT_MAX_BYTES
  switch (name) {
    case 'signMessage': {
      const message = text('message', hexMax)
      return message === undefined ? undefined : { name, pkpId, message }
    }
    case 'signTypedData': {
      const typedData = text('typedData', SIGNING_INPUT_MAX_BYTES)
      return typedData === undefined ? undefined : { name, pkpId, typedData }
    }
    case 'signTransaction': {
      const transaction = text('transaction', TRANSACTION_JSON_MAX_CHARACTERS)
      return transaction === undefined ? undefined : { name, pkpId, transaction }
    }
    case 'signDigest': {
      const digest = text('digest', hexMax)
      return digest === undefined ? undefined : { name, pkpId, digest }
    }
  }
}

function readTransactionOperation(argument: unknown): KeyOperation | undefined {
  const id = readText(argument, 'id', 1, KEY_ID_MAX_CHARACTERS)
  const { waitFor, timeoutMs } = Object(argument) as Record<string, unknown>
  const state = waitFor === 'mined' || waitFor === 'final' ? waitFor : undefined
  const time = isDuration(timeoutMs) ? timeoutMs : undefined
  if (id === undefined || state !== waitFor || time !== timeoutMs) return undefined
  return { name: 'transaction', id, waitFor: state, timeoutMs: time }
}

const isDuration = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= EXECUTION_WALL_MAX_MS

function readText(argument: unknown, field: string, min: number, max: number): string | undefined {
  const value: unknown = Object(argument)[field]
  return typeof value === 'string' && value.length >= min && value.length <= max ? value : undefined
}
