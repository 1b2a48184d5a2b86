/** Forms that pause, resume or delete a trigger. Their routes are in `trigger-switch.ts` and `trigger-delete.ts`. */
import type { Session } from '../../identity/sessions.ts'
import { formToken } from './session-form.ts'

type Shown = { id: string; name: string; enabled: boolean }

/** Subject of a CSRF token for one action on one trigger. */
export const triggerSubject = (action: 'switch' | 'edit' | 'delete', id: string) =>
  `triggers/${action}/${id}`

/**
 * Form that pauses or resumes a trigger.
 * @param from the page to return to; the trigger's page by default
 */
export async function SwitchForm({
  session,
  trigger: { id, name, enabled },
  from,
}: {
  session: Session
  trigger: Shown
  from?: 'list'
}) {
  const does = enabled ? 'Pause' : 'Resume'
  return (
    <form method="post" action={`/triggers/${id}/${enabled ? 'disable' : 'enable'}`}>
      <input
        type="hidden"
        name="csrf"
        value={await formToken(session, triggerSubject('switch', id))}
      />
      {from && <input type="hidden" name="from" value={from} />}
      <button type="submit" class="quiet" aria-label={`${does} ${name}`}>
        {does}
      </button>
    </form>
  )
}

/**
 * Form that deletes a trigger. It is inside `details`, so that a single click cannot delete, and lists what will be
 * lost.
 */
export async function DeleteForm({
  session,
  trigger: { id, name },
}: {
  session: Session
  trigger: Pick<Shown, 'id' | 'name'>
}) {
  return (
    <details id="delete">
      <summary>Delete this trigger</summary>
      <form method="post" action={`/triggers/${id}/delete`} class="card">
        <input
          type="hidden"
          name="csrf"
          value={await formToken(session, triggerSubject('delete', id))}
        />
        <p>
          Its history, its queued runs and its sealed usage key are deleted with it, and its address
          is never given out again. Nothing brings them back. To stop it for a while, pause it.
        </p>
        <p class="actions">
          <button type="submit" class="danger" aria-label={`Delete for good: ${name}`}>
            Delete for good
          </button>
        </p>
      </form>
    </details>
  )
}
