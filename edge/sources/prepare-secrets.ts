import type { WebhookSecret, WebhookSource } from '../../shared/wire/webhook-source.ts'
import { TriggerRejectedError } from '../triggers/trigger-rejected-error.ts'
import { sealSecrets } from './seal-secrets.ts'
import { importSourceKey, InvalidSecretError } from './source-keys.ts'

type Context = {
  triggerId: string
  macKey: string
  random: (bytes: number) => Uint8Array
}

/**
 * Checks that secrets have the format of their source, and encrypts them for the trigger.
 * @throws {TriggerRejectedError} if a secret cannot be used with this source
 */
export async function prepareSecrets(
  context: Context,
  source: WebhookSource,
  secret: WebhookSecret,
): Promise<string> {
  const secrets = typeof secret === 'string' ? [secret] : secret
  for (const each of secrets) await requireUsable(source, each)
  return sealSecrets(context, secrets, context.random)
}

async function requireUsable(source: WebhookSource, secret: string): Promise<void> {
  try {
    await importSourceKey(source, secret)
  } catch (error) {
    if (!(error instanceof InvalidSecretError)) throw error
    throw new TriggerRejectedError({
      reason: 'field',
      field: 'webhook_secret',
      problem: error.message,
      fix: 'Copy the value from the sender’s settings. docs/webhook-sources.md lists what each sender calls it.',
    })
  }
}
