/** The encryption binds a response to the row of its request, so that the response cannot be moved to another row. */
import { z } from 'zod'
import { decryptAtRest, encryptAtRest } from '../keys/at-rest.ts'

const storedResponseSchema = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  /** Response body as JSON text. */
  body: z.string(),
})

export type StoredResponse = z.infer<typeof storedResponseSchema>

const namesOf = (id: string) => ['svc/idempotency/v1', id]

export function encryptStoredResponse(key: Uint8Array, id: string, answer: StoredResponse): Buffer {
  return encryptAtRest(key, namesOf(id), JSON.stringify(answer))
}

/** @throws {Error} if the bytes were not encrypted with this key for this row */
export function decryptStoredResponse(
  key: Uint8Array,
  id: string,
  bytes: Uint8Array,
): StoredResponse {
  return storedResponseSchema.parse(JSON.parse(decryptAtRest(key, namesOf(id), bytes)))
}
