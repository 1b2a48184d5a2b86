import type { CheckedKey } from './check-usage-key.ts'

/** Warnings that tell a trigger's owner why the origin would currently refuse runs with the usage key. */
export const KEY_WARNINGS = {
  unknown: () =>
    'usage_api_key: no account has this key. Until one does, runs fail with 401; ten in a row over 15 minutes disable the trigger.',
  account: () =>
    'usage_api_key: this is now an account key, and triggers only run with usage keys. Runs fail with 403; ten in a row over 15 minutes disable the trigger.',
  not_permitted: (actionCid: string) =>
    `usage_api_key: the key cannot execute ${actionCid}. Until a group of its account permits it, runs fail with 403; ten in a row over 15 minutes disable the trigger.`,
  expired: () =>
    'usage_api_key: the key has expired. Until its owner moves expires_at, runs fail with 401; ten in a row over 15 minutes disable the trigger.',
  not_for_triggers: () =>
    'usage_api_key: the key is restricted to web origins or addresses. Until its owner sets allow_triggers, runs fail with 403; ten in a row over 15 minutes disable the trigger.',
  not_asked: (actionCid: string) =>
    `usage_api_key: could not check whether the key can execute ${actionCid}. If it cannot, runs fail with 403; ten in a row over 15 minutes disable the trigger.`,
} as const satisfies Record<string, (actionCid: string) => string>
export type KeyWarning = keyof typeof KEY_WARNINGS

export function keyWarnings(
  { key, mayExecute, refusedBy }: CheckedKey,
  actionCid: string,
): string[] {
  if (key !== 'usage') return [KEY_WARNINGS[key]()]
  return [
    ...(mayExecute ? [] : [KEY_WARNINGS.not_permitted(actionCid)]),
    ...(refusedBy ? [KEY_WARNINGS[refusedBy]()] : []),
  ]
}
