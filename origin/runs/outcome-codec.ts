import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type Outcome, outcomeSchema } from '../../shared/wire/outcome.ts'

/**
 * Outcomes at rest: version 1 · nonce 12 · AES-256-GCM of the JSON · tag 16. The associated data names the run,
 * so that one run's outcome can not be put in another's row.
 */
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type RunKey = { accountHash: string; runId: string }

export function encryptOutcome(key: Uint8Array, run: RunKey, outcome: Outcome): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad(run))
  const text = Buffer.concat([cipher.update(JSON.stringify(outcome), 'utf8'), cipher.final()])
  return Buffer.concat([Uint8Array.of(VERSION), nonce, text, cipher.getAuthTag()])
}

/** @throws {Error} for bytes that this key did not encrypt for this run */
export function decryptOutcome(key: Uint8Array, run: RunKey, bytes: Uint8Array): Outcome {
  if (bytes[0] !== VERSION)
    throw new Error(`an outcome of version ${bytes[0]} is not readable here`)
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(aad(run))
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
  const text = decipher.update(bytes.subarray(1 + NONCE_BYTES, bytes.length - TAG_BYTES))
  return outcomeSchema.parse(JSON.parse(Buffer.concat([text, decipher.final()]).toString('utf8')))
}

function aad({ accountHash, runId }: RunKey): Buffer {
  return Buffer.from(JSON.stringify(['svc/outcome/v1', accountHash, runId]))
}
