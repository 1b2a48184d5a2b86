/** Buttons that change a trigger, for the pages that show one. Their routes are `trigger-switch.ts` and `trigger-delete.ts`. */
import type { Session } from '../../identity/sessions.ts'
import { formToken } from './session-form.ts'

type Shown = { id: string; name: string; enabled: boolean }

/** The form token's subject of what is done to one trigger: a token for one thing is none for another. */
export const triggerSubject = (action: 'switch' | 'edit' | 'delete', id: string) =>
  `triggers/${action}/${id}`

/** Pauses a trigger, or lets it go on. @param from where the person goes on: the trigger's page unless it is said */
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

/** Opened first, so that no single click deletes; it says what is lost. */
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
