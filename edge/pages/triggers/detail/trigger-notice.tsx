/** The redirect after an action selects the text of the notice by a fixed query parameter. */
import type { FC } from 'hono/jsx'
import type { TriggerRecord } from '../../../../shared/wire/trigger.ts'
import { readChainConfig } from '../../../chain/chain-config.ts'
import { UserText } from '../../../browser/components/user-text.tsx'
import { KEY_WARNINGS, type KeyWarning } from '../../../triggers/key-warnings.ts'
import { missingIndexedWarnings } from '../../../triggers/missing-indexed-warnings.ts'

export const CHANGE_TEXTS = {
  changed: 'Trigger updated.',
  enabled: 'Trigger resumed.',
  disabled: 'Trigger paused. Queued runs will still run.',
} as const
type CompletedChange = keyof typeof CHANGE_TEXTS

const isKeyWarning = (text: string | null): text is KeyWarning =>
  text !== null && Object.hasOwn(KEY_WARNINGS, text)

export function changedTriggerPath(
  { id, action_cid, warnings = [] }: { id: string; action_cid: string; warnings?: string[] },
  done: CompletedChange | 'created',
): string {
  const query = new URLSearchParams({ [done]: '1' })
  for (const [name, text] of Object.entries(KEY_WARNINGS))
    if (warnings.includes(text(action_cid))) query.set('key', name)
  return `/triggers/${id}?${query.toString()}`
}

/** @param url URL of the page; untrusted, so it is used only to select from fixed texts */
export const TriggerNotice: FC<{
  url: string
  trigger: Pick<TriggerRecord, 'kind' | 'config' | 'action_cid'>
}> = ({ url, trigger }) => {
  const query = new URL(url).searchParams
  const done = (Object.keys(CHANGE_TEXTS) as CompletedChange[]).find((name) => query.has(name))
  const key = query.get('key')
  const isNew = query.has('created') || done === 'changed'
  const signatureWarnings =
    isNew && trigger.kind === 'chain_event'
      ? missingIndexedWarnings(readChainConfig(trigger.config))
      : []
  return (
    <>
      {done && (
        <p class="done" role="status">
          {CHANGE_TEXTS[done]}
        </p>
      )}
      {isKeyWarning(key) && <p class="warn">{KEY_WARNINGS[key](trigger.action_cid)}</p>}
      {signatureWarnings.map((warning) => (
        <p class="warn">
          <UserText text={warning} max={1_000} />
        </p>
      ))}
    </>
  )
}
