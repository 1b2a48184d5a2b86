import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import type { WebhookSource } from '../../shared/wire/webhook-source.ts'

/** Secrets that were checked for this source and encrypted. */
export type SealedSecret = { source: WebhookSource; sealed: string }

type StoredSource = { source: WebhookSource | undefined; sealed: string | null }

/**
 * `set`: the secret to store from now on, or null. `secret_required`: the trigger would have a source without a secret.
 * `source_required`: it would have a secret without a source.
 */
export type SourceChange =
  | { state: 'unchanged' }
  | { state: 'set'; sealed: string | null }
  | { state: 'secret_required' }
  | { state: 'source_required' }

/** Decides how a change of a trigger affects its webhook secret. Removing the source removes the secret. */
export function planSourceChange(
  stored: StoredSource,
  options: TriggerOptions | undefined,
  secret: SealedSecret | undefined,
): SourceChange {
  const source = options ? options.source : stored.source
  if (secret) {
    if (source === undefined) return { state: 'source_required' }
    // Another request may have changed the source since the secret was checked.
    if (!isSameSource(source, secret.source)) return { state: 'secret_required' }
    return { state: 'set', sealed: secret.sealed }
  }
  if (!options) return { state: 'unchanged' }
  if (source === undefined)
    return stored.source === undefined ? { state: 'unchanged' } : { state: 'set', sealed: null }
  const isKept = stored.sealed !== null && isSameSource(source, stored.source)
  return isKept ? { state: 'unchanged' } : { state: 'secret_required' }
}

function isSameSource(one: WebhookSource, other: WebhookSource | undefined): boolean {
  return sourceText(one) === sourceText(other)
}

/** The members of a custom source may be in any order. */
function sourceText(source: WebhookSource | undefined): string {
  if (source === undefined || typeof source === 'string') return JSON.stringify(source)
  const members = Object.entries(source).map((member) => JSON.stringify(member))
  return members.toSorted((one, other) => (one < other ? -1 : 1)).join()
}
