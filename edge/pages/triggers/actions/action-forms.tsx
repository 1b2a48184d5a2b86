import type { Session } from '../../../identity/sessions.ts'
import { CsrfField } from '../../requests/csrf-field.tsx'

type TriggerSummary = { id: string; name: string; enabled: boolean }

export const triggerSubject = (action: 'switch' | 'edit' | 'delete', id: string) =>
  `triggers/${action}/${id}`

/** @param from path of the page to return to; by default, the trigger's page */
export function SwitchForm({
  session,
  trigger: { id, name, enabled },
  from,
}: {
  session: Session
  trigger: TriggerSummary
  from?: 'list'
}) {
  const does = enabled ? 'Pause' : 'Resume'
  return (
    <form method="post" action={`/triggers/${id}/${enabled ? 'disable' : 'enable'}`}>
      <CsrfField session={session} subject={triggerSubject('switch', id)} />
      {from && <input type="hidden" name="from" value={from} />}
      <button class="quiet" aria-label={`${does} ${name}`}>
        {does}
      </button>
    </form>
  )
}

/** Lists the data that will be lost. The form is inside `details`, so that a single click cannot delete the trigger. */
export function DeleteForm({
  session,
  trigger: { id, name },
}: {
  session: Session
  trigger: Pick<TriggerSummary, 'id' | 'name'>
}) {
  return (
    <details id="delete">
      <summary>Delete this trigger</summary>
      <form method="post" action={`/triggers/${id}/delete`} class="card">
        <CsrfField session={session} subject={triggerSubject('delete', id)} />
        <p>
          This also deletes its run history, queued runs and sealed usage key, and its URL is never
          reused. This cannot be undone. To stop it temporarily, pause it.
        </p>
        <p class="actions">
          <button class="danger" aria-label={`Delete permanently: ${name}`}>
            Delete permanently
          </button>
        </p>
      </form>
    </details>
  )
}
