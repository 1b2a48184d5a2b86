import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { z } from 'zod'

/**
 * Answers at rest: version 1 · nonce 12 · AES-256-GCM of the JSON · tag 16. The associated data names the row, so
 * that one request's answer can not be put in another's.
 */
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

const keptAnswerSchema = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  /** JSON text. */
  body: z.string(),
})

export type KeptAnswer = z.infer<typeof keptAnswerSchema>

export function encryptAnswer(key: Uint8Array, id: string, answer: KeptAnswer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad(id))
  const text = Buffer.concat([cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()])
  return Buffer.concat([Uint8Array.of(VERSION), nonce, text, cipher.getAuthTag()])
}

/** @throws {Error} for bytes that this key did not encrypt for this row */
export function decryptAnswer(key: Uint8Array, id: string, bytes: Uint8Array): KeptAnswer {
  if (bytes[0] !== VERSION) throw new Error(`an answer of version ${bytes[0]} is not readable here`)
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(aad(id))
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
  const text = decipher.update(bytes.subarray(1 + NONCE_BYTES, bytes.length - TAG_BYTES))
  const json = Buffer.concat([text, decipher.final()]).toString('utf8')
  return keptAnswerSchema.parse(JSON.parse(json))
}

function aad(id: string): Buffer {
  return Buffer.from(JSON.stringify(['svc/idempotency/v1', id]))
}
