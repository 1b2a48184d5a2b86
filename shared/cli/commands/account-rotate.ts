/**
 * Rotates the account key. The new key is stored before it is sent, and the old key remains stored until the rotation
 * succeeds, so an interruption cannot lock the user out of the account.
 */
import type { Command } from 'commander'
import { apiKeyHash } from '../../crypto/keccak.ts'
import type { Cli } from '../cli.ts'
import { storedOriginEntry } from '../credentials/credentials.ts'
import { NoCredentialError, UsageError } from '../terminal.ts'
import { addExamples } from './examples.ts'

export function registerRotate(account: Command, cli: Cli): void {
  const command = cli
    .command(account, 'rotate', 'Replace the stored account key with a new one.')
    .option('--show', 'also print the new key')
    .action(async ({ show }: { show?: boolean }) => {
      const api_key = await rotateStoredKey(command, cli)
      const api_key_hash = apiKeyHash(api_key)
      const said = { api_key_hash, kept_in: cli.credentials.file, ...(show && { api_key }) }
      cli.print(command, said, () => [
        `Account key rotated. Hash of the new key: ${api_key_hash}`,
        ...(show ? [api_key] : []),
      ])
    })
  addExamples(command, ['svc account rotate'])
}

async function rotateStoredKey(command: Command, cli: Cli): Promise<string> {
  const { environment } = cli.terminal
  if (environment['SVC_API_KEY'] || environment['SVC_API_KEY_FILE'])
    throw new UsageError(
      'SVC_API_KEY is set, but this command replaces the stored key: unset SVC_API_KEY, and store its key with svc account use',
    )
  const { baseUrl } = await cli.deployment(command)
  const { account_key, next_account_key } = await cli.credentials.origin(baseUrl)
  if (account_key === undefined)
    throw new NoCredentialError(
      `no account key is stored for ${baseUrl}`,
      'Store one with svc account use.',
    )
  const client = await cli.client(command, { key: 'account' })
  // If an earlier rotation was interrupted, its new key may already be valid.
  if (next_account_key !== undefined && (await client.accountExists(next_account_key))) {
    await storeRotatedKey(next_account_key, baseUrl, cli)
    return next_account_key
  }
  const { api_key } = await client.rotateAccountApiKey({
    keep: (key) =>
      cli.credentials.change((kept) => {
        storedOriginEntry(kept, baseUrl).next_account_key = key
      }),
  })
  await storeRotatedKey(api_key, baseUrl, cli)
  return api_key
}

async function storeRotatedKey(key: string, baseUrl: string, cli: Cli): Promise<void> {
  await cli.credentials.change((kept) => {
    const origin = storedOriginEntry(kept, baseUrl)
    origin.account_key = key
    delete origin.next_account_key
  })
}
