import type { Context } from 'hono'
import {
  createTriggerRequest,
  TRIGGER_KINDS,
  type TriggerKind,
} from '../../../../shared/wire/trigger.ts'
import { KIND_NAMES, KindIcon } from '../../../browser/components/trigger-kind.tsx'
import { createTrigger } from '../../../triggers/create-trigger.ts'
import { latestTriggers } from '../../../triggers/trigger-index.ts'
import type { Session } from '../../../identity/sessions.ts'
import { originOfSession } from '../../../http/change-origin.ts'
import type { App, AppEnv } from '../../../http/app-env.ts'
import { renderPage, seeOther } from '../../layout/render-page.tsx'
import { readSessionForm, requirePageSession } from '../../requests/session-form.ts'
import { checkForm } from './trigger-preview.ts'
import { fieldsFrom, defaultFields, type TriggerFormFields } from './trigger-form-fields.ts'
import { formPage, toFormRejection, type FormRejection } from './form-page.tsx'
import { type FormState, TRIGGER_FORM_MAX_BYTES } from './trigger-form.tsx'
import { KEY_SOURCES_MAX } from './usage-key-fields.tsx'
import { TRIGGERS_STYLE } from '../triggers-style.ts'
import { hasProblems, problemsOfIssues } from './problems.ts'
import { toTriggerRequest } from './trigger-request.ts'
import { changedTriggerPath } from '../detail/trigger-notice.tsx'

const PATH = '/triggers/new'
const SUBJECT = 'triggers/new'

export function registerTriggerNew(app: App): void {
  app.get(PATH, async (c) => {
    const session = await requirePageSession(c)
    if (session instanceof Response) return session
    const kind = kindOf(c)
    if (!kind) return kindChoicePage(c)
    return newTriggerPage(c, session, { kind, fields: defaultFields(kind), problems: {} })
  })

  app.post(PATH, async (c) => {
    const kind = kindOf(c)
    const back = kind ? pathOf(kind) : PATH
    const read = await readSessionForm(c, {
      subject: SUBJECT,
      back,
      maxBytes: TRIGGER_FORM_MAX_BYTES,
    })
    if (read instanceof Response) return read
    if (!kind) return seeOther(c, PATH)
    const { session, form } = read
    const state = { kind, fields: fieldsFrom((name) => form.get(name)), problems: {} }
    try {
      await c.var.services.requireRate('api_write', session.user.id)
      if (form.get('do') === 'check') {
        const checked = await checkForm(c, session.user.id, state)
        return await newTriggerPage(c, session, { ...state, ...checked })
      }
      const created = await createFromForm(c, session, kind, state.fields)
      return 'path' in created
        ? seeOther(c, created.path)
        : newTriggerPage(c, session, { ...state, ...created })
    } catch (error) {
      return newTriggerPage(c, session, { ...state, ...toFormRejection(c, error) })
    }
  })
}

async function createFromForm(
  c: Context<AppEnv>,
  { user }: Session,
  kind: TriggerKind,
  fields: TriggerFormFields,
): Promise<{ path: string } | FormRejection> {
  const {
    body: { usage_api_key, ...body },
    problems,
  } = toTriggerRequest(kind, fields)
  const { usage_key_of } = fields
  if (usage_api_key === '' && usage_key_of === '')
    problems.usage_api_key = 'Paste the usage key for the runs, or choose a trigger that has one.'
  if (usage_api_key !== '' && usage_key_of !== '')
    problems.usage_key_of = 'Clear the usage key to use the key of another trigger.'
  const key = usage_key_of === '' ? { usage_api_key } : { usage_key_of }
  const refused = { status: 422 as const, headers: {} }
  if (hasProblems(problems)) return { ...refused, problems }
  const read = createTriggerRequest.safeParse({ ...body, kind, ...key })
  if (!read.success) return { ...refused, problems: problemsOfIssues(read.error.issues) }
  const { db, now, random, settings } = c.var.services
  const context = { ownerId: user.id, db, settings, now, random, by: originOfSession(c) }
  return { path: changedTriggerPath(await createTrigger(c.env, context, read.data), 'created') }
}

async function newTriggerPage(
  c: Context<AppEnv>,
  session: Session,
  state: FormState & Partial<FormRejection>,
): Promise<Response> {
  return formPage(c, {
    ...state,
    keySources: await latestTriggers(c.var.services.db, session.user.id, KEY_SOURCES_MAX),
    session,
    title: `New ${KIND_NAMES[state.kind].toLowerCase()}`,
    action: pathOf(state.kind),
    subject: SUBJECT,
    intro: (
      <p class="note">
        {INTROS[state.kind]} <a href={PATH}>Choose another kind</a>
      </p>
    ),
  })
}

const kindOf = (c: Context<AppEnv>) => TRIGGER_KINDS.find((kind) => kind === c.req.query('kind'))
const pathOf = (kind: TriggerKind) => `${PATH}?kind=${kind}`

const INTROS: Record<TriggerKind, string> = {
  webhook: 'Another service sends a POST request, and the action runs with its body.',
  schedule: 'The action runs on a schedule.',
  chain_event: 'The action runs for each matching log of a contract, once its block is final.',
}

const REASONS: Record<TriggerKind, string> = {
  webhook:
    'Runs when another service sends a request: payments, pushes, messages, forms. Each webhook has its own URL, and the action verifies the sender.',
  schedule:
    'Runs at fixed times: every hour, on Mondays at nine, twice a minute. Uses cron expressions, in UTC.',
  chain_event:
    'Runs when a contract emits an event: a transfer, a vote, a sale. Can also process past logs.',
}

function kindChoicePage(c: Context<AppEnv>): Promise<Response> {
  return renderPage(
    c,
    { title: 'New trigger', style: TRIGGERS_STYLE, wide: true },
    <>
      <p class="lead">What should start the runs?</p>
      <ul class="kinds">
        {TRIGGER_KINDS.map((kind) => (
          <li class="card">
            <h2>
              <KindIcon kind={kind} /> {KIND_NAMES[kind]}
            </h2>
            <p>{REASONS[kind]}</p>
            <a class="button" href={pathOf(kind)}>
              New {KIND_NAMES[kind].toLowerCase()}
            </a>
          </li>
        ))}
      </ul>
      <p class="note">
        A trigger needs the source of an action and a usage key that may execute it. The console’s{' '}
        <a href="/console#start">first steps</a> create both.
      </p>
    </>,
  )
}
