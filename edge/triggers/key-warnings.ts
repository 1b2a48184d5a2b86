import type { CheckedKey } from './check-usage-key.ts'

/** Warnings for the owner: why runs with this key would be refused now. */
export const KEY_WARNINGS = {
  unknown: () =>
    'usage_api_key: no account has this key now; until one has, runs fail with 401, and ten in a row over 15 minutes disable the trigger.',
  account: () =>
    'usage_api_key: it is the key of an account by now, and triggers run with usage keys alone; runs fail with 403, and ten in a row over 15 minutes disable the trigger.',
  not_permitted: (actionCid: string) =>
    `usage_api_key: it may not execute ${actionCid} now; until a group of its account permits it, runs fail with 403, and ten in a row over 15 minutes disable the trigger.`,
  not_asked: (actionCid: string) =>
    `usage_api_key: whether it may execute ${actionCid} could not be asked now; if it may not, runs fail with 403, and ten in a row over 15 minutes disable the trigger.`,
} as const satisfies Record<string, (actionCid: string) => string>
export type KeyWarning = keyof typeof KEY_WARNINGS

export function keyWarnings({ key, mayExecute }: CheckedKey, actionCid: string): string[] {
  if (key !== 'usage') return [KEY_WARNINGS[key]()]
  return mayExecute ? [] : [KEY_WARNINGS.not_permitted(actionCid)]
}
