/** The kind of a trigger cannot be changed. */
import type { Context } from 'hono'
import { patchTriggerRequest, type TriggerRecord } from '../../../shared/wire/trigger.ts'
import { Time } from '../../console/parts.tsx'
import { UserText } from '../../console/user-text.tsx'
import { changeTrigger } from '../../triggers/change-trigger.ts'
import type { Session } from '../../identity/sessions.ts'
import type { App, AppEnv } from '../app-env.ts'
import { notFound } from '../owned-trigger.ts'
import { seeOther } from '../page.tsx'
import { requireOwnTrigger } from './owned-trigger-page.ts'
import { readSessionForm, requirePageSession } from './session-form.ts'
import { DeleteForm, triggerSubject } from './trigger-actions.tsx'
import { checkFields } from './trigger-form/check.ts'
import { fieldsFrom, fieldsOfRecord, type TriggerFields } from './trigger-form/fields.ts'
import { formPage, notTaken, type NotTaken } from './trigger-form/form-page.tsx'
import { type FormState, TRIGGER_FORM_MAX_BYTES } from './trigger-form/form.tsx'
import { isRefused, problemsOfIssues } from './trigger-form/problems.ts'
import { requestOf } from './trigger-form/request.ts'
import { changedPath } from './trigger-notice.tsx'

export function registerTriggerEdit(app: App): void {
  app.get('/triggers/:id/edit', async (c) => {
    const session = await requirePageSession(c)
    if (session instanceof Response) return session
    const record = await requireOwnTrigger(c, c.req.param('id'), session)
    return editPage(c, session, record, { fields: fieldsOfRecord(record), problems: {} })
  })

  app.post('/triggers/:id/edit', async (c) => {
    const id = c.req.param('id')
    const subject = triggerSubject('edit', id)
    const maxBytes = TRIGGER_FORM_MAX_BYTES
    const read = await readSessionForm(c, { subject, back: '/triggers', maxBytes })
    if (read instanceof Response) return read
    const { session, form } = read
    const record = await requireOwnTrigger(c, id, session)
    const state = { fields: fieldsFrom((name) => form.get(name)), problems: {} }
    try {
      await c.var.services.requireRate('api_write', session.user.id)
      if (form.get('do') === 'check') {
        const checked = await checkFields(c, session.user.id, record.kind, state.fields)
        const problems = 'problems' in checked ? checked.problems : {}
        const seen = form.get('seen') ?? undefined
        return await editPage(c, session, record, {
          ...state,
          checked,
          problems,
          ...(seen && { seen }),
        })
      }
      if (form.get('seen') !== record.updated_at)
        return await editPage(c, session, record, { ...state, isOvertaken: true, status: 409 })
      const changed = await change(c, session, record, state.fields)
      return 'path' in changed
        ? seeOther(c, changed.path)
        : editPage(c, session, record, { ...state, ...changed })
    } catch (error) {
      return editPage(c, session, record, { ...state, ...notTaken(c, error) })
    }
  })
}

/** Saves only the fields that differ, to avoid unnecessary revisions. */
async function change(
  c: Context<AppEnv>,
  { user }: Session,
  record: TriggerRecord,
  fields: TriggerFields,
): Promise<{ path: string } | NotTaken> {
  const { body, problems } = requestOf(record.kind, fields)
  const refused = { status: 422 as const, headers: {} }
  if (isRefused(problems)) return { ...refused, problems }
  const known = new Map(Object.entries(requestOf(record.kind, fieldsOfRecord(record)).body))
  const differs = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(known.get(name))
  const read = patchTriggerRequest.safeParse(
    Object.fromEntries(Object.entries(body).filter(differs)),
  )
  if (!read.success) return { ...refused, problems: problemsOfIssues(read.error.issues) }
  const { now, settings } = c.var.services
  const context = { triggerId: record.id, ownerId: user.id, now, chains: settings.CHAINS }
  const changed = await changeTrigger(c.env, context, read.data)
  if (!changed) throw notFound('trigger')
  return { path: changedPath(changed, 'changed') }
}

type EditState = Omit<FormState, 'kind'> &
  Partial<Omit<NotTaken, 'problems'>> & { isOvertaken?: boolean; seen?: string }

async function editPage(
  c: Context<AppEnv>,
  session: Session,
  record: TriggerRecord,
  { isOvertaken = false, ...state }: EditState,
): Promise<Response> {
  const { id, kind, name, updated_at } = record
  return formPage(c, {
    seen: updated_at,
    ...state,
    kind,
    session,
    title: 'Edit trigger',
    action: `/triggers/${id}/edit`,
    subject: triggerSubject('edit', id),
    intro: (
      <>
        <p class="lead">
          <a href={`/triggers/${id}`}>
            <UserText text={name} />
          </a>
        </p>
        {isOvertaken && (
          <div class="warn" role="alert">
            <p>
              The trigger was changed on <Time at={Date.parse(updated_at)} />, after this form was
              opened: in another tab, by a program, or by the service. Your changes are not saved
              yet.
            </p>
            <p>
              Save again to overwrite it with this form, or{' '}
              <a href={`/triggers/${id}/edit`}>start over from the current version</a>.
            </p>
          </div>
        )}
      </>
    ),
    outro: await DeleteForm({ session, trigger: record }),
  })
}
