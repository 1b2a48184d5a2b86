/**
 * Encrypts webhook secrets for storage, bound to the trigger's ID. The edge needs the secrets to verify webhooks, so it
 * must be able to decrypt them, unlike usage keys.
 */
import { decryptFromStorage, encryptForStorage } from '../storage-encryption.ts'

const INFO = 'svc/webhook-secret/v1'

type Owner = { triggerId: string; macKey: string }

export async function sealSecrets(
  owner: Owner,
  secrets: readonly string[],
  random: (bytes: number) => Uint8Array,
): Promise<string> {
  return encryptForStorage(keyOf(owner), JSON.stringify(secrets), random)
}

/** @throws if the text was sealed for another trigger or with another `ID_MAC_KEY` */
export async function openSecrets(owner: Owner, sealed: string): Promise<readonly string[]> {
  return JSON.parse(await decryptFromStorage(keyOf(owner), sealed)) as string[]
}

const keyOf = ({ triggerId, macKey }: Owner) => ({ macKey, info: INFO, boundTo: triggerId })
