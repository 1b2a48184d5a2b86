import { ApiError } from '../../../../shared/errors/api-error.ts'
import { validate } from '../../../../shared/json/json-body.ts'
import { testRequest } from '../../../../shared/wire/run.ts'
import type { App } from '../../../http/app-env.ts'
import { queueOf } from '../../../http/trigger-lookup.ts'
import { seeOther } from '../../layout/render-page.tsx'
import { toTestRun } from '../../../http/triggers-test.ts'
import { acceptedRunId, rejectionText } from '../../runs/accepted-run.ts'
import { readSessionForm } from '../../requests/session-form.ts'
import { testSubject } from '../detail/configuration-cards.tsx'
import { triggerPage } from '../detail/trigger-page.tsx'

/** Maximum form size. Sufficient for input that is typed or pasted. Larger events can be tested through the API. */
const FORM_MAX_BYTES = 256 * 1024

export function registerTriggerTest(app: App): void {
  app.post('/triggers/:id/test', async (c) => {
    const id = c.req.param('id')
    const read = await readSessionForm(c, {
      subject: testSubject(id),
      back: `/triggers/${encodeURIComponent(id)}`,
      maxBytes: FORM_MAX_BYTES,
    })
    if (read instanceof Response) return read
    const { session, form } = read
    await c.var.services.requireRate('api_write', session.user.id)
    const kind = form.get('what') === 'params' ? 'params' : 'event'
    const json = form.get('json') ?? ''
    const refused = (error: string, status: 409 | 413 | 422 | 429 = 422) =>
      triggerPage(c, session, id, { test: { kind, json, error }, status })
    let test
    try {
      test = toTestRun(validate(testRequest, { [kind]: JSON.parse(json) }, 422))
    } catch (error) {
      if (error instanceof SyntaxError) return refused('Invalid JSON.')
      if (error instanceof ApiError) return refused(`${error.message} ${error.fix}`)
      throw error
    }
    const queue = await queueOf(c, id)
    const accepted = await queue.fireTest(session.user.id, test)
    if (accepted.state === 'takes_no_event')
      return refused('A schedule has no event. Send params instead.')
    const run = acceptedRunId(accepted, 'trigger')
    return run === undefined
      ? refused(rejectionText(accepted), accepted.state === 'disabled' ? 409 : 429)
      : seeOther(c, `/runs/${run}`)
  })
}
