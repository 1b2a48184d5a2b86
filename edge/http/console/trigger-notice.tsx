/** What was just done to a trigger, on the page that one comes to. It crosses the redirect as words of ours in its query. */
import type { FC } from 'hono/jsx'
import { KEY_WARNINGS, type KeyWarning } from '../../triggers/key-warnings.ts'

const DONE = {
  changed: 'The trigger was changed.',
  enabled: 'The trigger goes on: it fires from now on.',
  disabled: 'The trigger is paused: nothing fires it. Runs that are queued go on.',
} as const
export type Done = keyof typeof DONE

/** Of a usage key, as `key=` in the query of a trigger's page. */
const isKeyWarning = (text: string | null): text is KeyWarning =>
  text !== null && Object.hasOwn(KEY_WARNINGS, text)

/** Where one goes on after a change. @param warnings of the record that it gave */
export function changedPath(
  { id, action_cid, warnings = [] }: { id: string; action_cid: string; warnings?: string[] },
  done: Done | 'created',
): string {
  const query = new URLSearchParams({ [done]: '1' })
  for (const [name, text] of Object.entries(KEY_WARNINGS))
    if (warnings.includes(text(action_cid))) query.set('key', name)
  return `/triggers/${id}?${query.toString()}`
}

/**
 * On a trigger's page: what its query says that was done, and what its owner should know of the usage key.
 * @param url of the page; anybody may have written it: it can make no other words than these appear
 */
export const TriggerNotice: FC<{ url: string; actionCid: string }> = ({ url, actionCid }) => {
  const query = new URL(url).searchParams
  const done = (Object.keys(DONE) as Done[]).find((name) => query.has(name))
  const key = query.get('key')
  return (
    <>
      {done && (
        <p class="done" role="status">
          {DONE[done]}
        </p>
      )}
      {isKeyWarning(key) && <p class="warn">{KEY_WARNINGS[key](actionCid)}</p>}
    </>
  )
}
