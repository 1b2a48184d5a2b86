import type { Context } from 'hono'
import { patchTriggerRequest, type TriggerRecord } from '../../../../shared/wire/trigger.ts'
import { Time } from '../../../browser/components/elements.tsx'
import { UserText } from '../../../browser/components/user-text.tsx'
import { changeTrigger } from '../../../triggers/change-trigger.ts'
import type { Session } from '../../../identity/sessions.ts'
import type { TriggerObject } from '../../../queue/trigger-object.ts'
import { originOfSession } from '../../../http/change-origin.ts'
import type { App, AppEnv } from '../../../http/app-env.ts'
import { notFound, queueOf } from '../../../http/trigger-lookup.ts'
import { seeOther } from '../../layout/render-page.tsx'
import { readSessionForm, requirePageSession } from '../../requests/session-form.ts'
import { DeleteForm, triggerSubject } from '../actions/action-forms.tsx'
import { checkForm } from './trigger-preview.ts'
import { fieldsFrom, fieldsOfRecord, type TriggerFormFields } from './trigger-form-fields.ts'
import { formPage, toFormRejection, type FormRejection } from './form-page.tsx'
import { type FormState, TRIGGER_FORM_MAX_BYTES } from './trigger-form.tsx'
import { hasProblems, problemsOfIssues } from './problems.ts'
import { toTriggerRequest } from './trigger-request.ts'
import { changedTriggerPath } from '../detail/trigger-notice.tsx'

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
        const checked = await checkForm(c, session.user.id, { ...state, kind: record.kind })
        const seen = form.get('seen')
        return await editPage(c, session, record, { ...state, ...checked, ...(seen && { seen }) })
      }
      if (form.get('seen') !== record.updated_at)
        return await editPage(c, session, record, { ...state, isOvertaken: true, status: 409 })
      const changed = await saveChanges(c, session, record, state.fields)
      return 'path' in changed
        ? seeOther(c, changed.path)
        : editPage(c, session, record, { ...state, ...changed })
    } catch (error) {
      return editPage(c, session, record, { ...state, ...toFormRejection(c, error) })
    }
  })
}

/** @throws {ApiError} 404, which is identical for unknown IDs, malformed IDs, and IDs of other users */
async function requireOwnTrigger(
  c: Context<AppEnv>,
  id: string,
  { user }: Session,
): Promise<TriggerRecord> {
  // `Pick` is needed because the stub's inferred types cannot express arbitrary JSON.
  const queue: Pick<TriggerObject, 'read'> = await queueOf(c, id)
  const record = await queue.read(user.id)
  if (!record) throw notFound('trigger')
  return record
}

/** Saves only the fields that have changed, to avoid unnecessary revisions. */
async function saveChanges(
  c: Context<AppEnv>,
  { user }: Session,
  record: TriggerRecord,
  fields: TriggerFormFields,
): Promise<{ path: string } | FormRejection> {
  const { body, problems } = toTriggerRequest(record.kind, fields)
  const refused = { status: 422 as const, headers: {} }
  if (hasProblems(problems)) return { ...refused, problems }
  const known = new Map(Object.entries(toTriggerRequest(record.kind, fieldsOfRecord(record)).body))
  const differs = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(known.get(name))
  const read = patchTriggerRequest.safeParse(
    Object.fromEntries(Object.entries(body).filter(differs)),
  )
  if (!read.success) return { ...refused, problems: problemsOfIssues(read.error.issues) }
  const { db, now, random, settings } = c.var.services
  const context = {
    triggerId: record.id,
    ownerId: user.id,
    db,
    now,
    random,
    settings,
    by: originOfSession(c),
  }
  const changed = await changeTrigger(c.env, context, read.data)
  if (!changed) throw notFound('trigger')
  return { path: changedTriggerPath(changed, 'changed') }
}

type EditState = Omit<FormState, 'kind'> &
  Partial<Omit<FormRejection, 'problems'>> & { isOvertaken?: boolean; seen?: string }

function editPage(
  c: Context<AppEnv>,
  session: Session,
  record: TriggerRecord,
  { isOvertaken = false, ...state }: EditState,
): Promise<Response> {
  const { id, kind, name, updated_at } = record
  return formPage(c, {
    seen: updated_at,
    triggerId: id,
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
    outro: <DeleteForm session={session} trigger={record} />,
  })
}
