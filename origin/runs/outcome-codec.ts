/** An encrypted outcome can be decrypted only in the row of its own run. */
import { type Outcome, outcomeSchema } from '../../shared/wire/outcome.ts'
import { decryptAtRest, encryptAtRest } from '../keys/at-rest.ts'

export type RunKey = { accountHash: string; runId: string }

const namesOf = ({ accountHash, runId }: RunKey) => ['svc/outcome/v1', accountHash, runId]

export function encryptOutcome(key: Uint8Array, run: RunKey, outcome: Outcome): Buffer {
  return encryptAtRest(key, namesOf(run), JSON.stringify(outcome))
}

/** @throws {Error} if the bytes were not encrypted with the same key for the same run */
export function decryptOutcome(key: Uint8Array, run: RunKey, bytes: Uint8Array): Outcome {
  return outcomeSchema.parse(JSON.parse(decryptAtRest(key, namesOf(run), bytes)))
}
