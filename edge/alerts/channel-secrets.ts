/**
 * Secrets with which alert webhooks are signed, in the format of Standard Webhooks. They are encrypted for storage, bound
 * to the user's ID.
 */
import { encodeBase64 } from '../queue/firing.ts'
import { decryptFromStorage, encryptForStorage } from '../storage-encryption.ts'

const INFO = 'svc/alert-secret/v1'

/** Standard Webhooks requires between 24 and 64 bytes. */
const SECRET_BYTES = 32

type Owner = { userId: string; macKey: string }
type Random = (bytes: number) => Uint8Array

/** @returns a secret such as `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw...` */
export function newChannelSecret(random: Random): string {
  return `whsec_${encodeBase64(random(SECRET_BYTES))}`
}

export async function sealChannelSecrets(
  owner: Owner,
  secrets: readonly string[],
  random: Random,
): Promise<string> {
  return encryptForStorage(keyOf(owner), JSON.stringify(secrets), random)
}

/** @throws if the text was sealed for another user or with another `ID_MAC_KEY` */
export async function openChannelSecrets(owner: Owner, sealed: string): Promise<string[]> {
  return JSON.parse(await decryptFromStorage(keyOf(owner), sealed)) as string[]
}

const keyOf = ({ userId, macKey }: Owner) => ({ macKey, info: INFO, boundTo: userId })
