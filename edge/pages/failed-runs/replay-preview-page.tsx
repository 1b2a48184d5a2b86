import { REPLAYS_PER_MINUTE_DEFAULT, REPLAYS_PER_MINUTE_MAX } from '../../../shared/limits.ts'
import { encodeBase64url } from '../../../shared/encoding/base64url.ts'
import { validate } from '../../../shared/json/json-body.ts'
import { parseIdempotencyKey } from '../../../shared/wire/idempotency-key.ts'
import { type BulkReplayRequest, bulkReplayRequest } from '../../../shared/wire/replays.ts'
import { FactList } from '../../browser/components/elements.tsx'
import { UserText } from '../../browser/components/user-text.tsx'
import { previewReplay, startReplay } from '../../http/bulk-replay.ts'
import type { App } from '../../http/app-env.ts'
import { noticePage, renderPage, seeOther } from '../layout/render-page.tsx'
import { CsrfField } from '../requests/csrf-field.tsx'
import { readSessionForm, requirePageSession } from '../requests/session-form.ts'

const PATH = '/failed-runs/replay'
const SUBJECT = 'failed-runs/replay'
const IDEMPOTENCY_KEY_BYTES = 16
/** A page shows 50 runs, each with an ID of 48 characters. */
const FORM_MAX_BYTES = 16 * 1024

export function registerReplayPreviewPage(app: App): void {
  app.get(PATH, async (c) => {
    const session = await requirePageSession(c)
    if (session instanceof Response) return session
    const params = new URL(c.req.url).searchParams
    const back = backLink(params)
    const { run_ids, fingerprint } = selectionOf(params)
    if (!run_ids && !fingerprint)
      return noticePage(c, {
        title: 'No runs selected',
        text: 'Select the runs that you want to replay.',
        link: back,
      })
    const preview = await previewReplay(c, session.user.id, requestOf(params))
    const { selected, already_replayed, triggers, estimated_s, min_cost_cents } = preview
    // Identifies this form, so that a double click starts one replay.
    const idempotencyKey = encodeBase64url(c.var.services.random(IDEMPOTENCY_KEY_BYTES))
    return renderPage(
      c,
      { title: params.get('from') === 'runs' ? 'Replay runs' : 'Replay failed runs' },
      <>
        <FactList
          facts={[
            ['Runs', String(selected)],
            ['Already replayed', `${already_replayed}, left out`],
            ['Time', `about ${Math.ceil(estimated_s / 60)} min`],
            ['Cost', `at least ${min_cost_cents} cents if all succeed`],
          ]}
        />
        <ul>
          {triggers.map(({ trigger_id, name, runs, enabled }) => (
            <li>
              <a href={`/triggers/${trigger_id}`}>
                <UserText text={name ?? 'deleted trigger'} />
              </a>
              : {runs}
              {!enabled && ' (paused: its runs are skipped)'}
            </li>
          ))}
        </ul>
        <p>Each replay takes effect again, and is charged like any other run.</p>
        {selected > 0 && (
          <form method="post" action={PATH}>
            <CsrfField session={session} subject={SUBJECT} />
            <input type="hidden" name="idempotency_key" value={idempotencyKey} />
            {fingerprint !== undefined && (
              <input type="hidden" name="fingerprint" value={fingerprint} />
            )}
            {run_ids?.map((id) => (
              <input type="hidden" name="run_ids" value={id} />
            ))}
            <p>
              <label for="per_minute">Replays per minute</label>
              <input
                id="per_minute"
                name="per_minute"
                type="number"
                min={1}
                max={REPLAYS_PER_MINUTE_MAX}
                value={REPLAYS_PER_MINUTE_DEFAULT}
                required
              />
            </p>
            <p class="actions">
              <button name="code" value="current">
                Replay with current code
              </button>
              <button name="code" value="original" class="quiet">
                Replay with original code
              </button>
            </p>
          </form>
        )}
        <p>
          <a href={back.href}>{back.text}</a>
        </p>
      </>,
    )
  })

  app.post(PATH, async (c) => {
    const read = await readSessionForm(c, {
      subject: SUBJECT,
      back: '/failed-runs',
      maxBytes: FORM_MAX_BYTES,
    })
    if (read instanceof Response) return read
    const { id: ownerId } = read.session.user
    await c.var.services.requireRate('api_write', ownerId)
    const key = parseIdempotencyKey(read.form.get('idempotency_key') ?? undefined)
    const { id } = await startReplay(c, ownerId, requestOf(read.form), key)
    return seeOther(c, `/replays/${id}`)
  })
}

/** The runs can be selected on two pages. */
const backLink = (params: URLSearchParams) =>
  params.get('from') === 'runs'
    ? { href: '/runs', text: 'Back to the runs' }
    : { href: '/failed-runs', text: 'Back to the failed runs' }

function selectionOf(params: URLSearchParams) {
  const run_ids = params.getAll('run_ids')
  return {
    run_ids: run_ids.length > 0 ? run_ids : undefined,
    fingerprint: params.get('fingerprint') ?? undefined,
  }
}

/** @throws {ApiError} 422 */
function requestOf(params: URLSearchParams): BulkReplayRequest {
  const { run_ids, fingerprint } = selectionOf(params)
  const perMinute = params.get('per_minute')
  return validate<BulkReplayRequest>(
    bulkReplayRequest,
    {
      ...(run_ids && { run_ids }),
      ...(fingerprint !== undefined && { fingerprint }),
      ...(perMinute !== null && { per_minute: Number(perMinute) }),
      code: params.get('code') === 'original' ? 'original' : 'current',
    },
    422,
  )
}
