import { describe, expect, it } from 'vitest'
import { TRIGGER_ID_CHARACTERS } from '../../../shared/ids.ts'
import type { ReplayPreview, ReplayRecord } from '../../../shared/wire/replays.ts'
import {
  createTrigger,
  fire,
  kill,
  type Owner,
  queueOf,
  runOnce,
  script,
  someOwner,
  success,
  unknownTriggerId,
} from '../app.ts'
import {
  crash,
  failedRuns,
  failTimes,
  get,
  inReports,
  patch,
  readReplay,
  replayedRuns,
  send,
  sendNext,
  startReplay,
  untilReplay,
} from './harness.ts'

const skippedNone = {
  trigger_disabled: 0,
  trigger_deleted: 0,
  run_deleted: 0,
  queue_full: 0,
  cancelled: 0,
}

async function preview(owner: Owner, body: object): Promise<ReplayPreview> {
  const response = await send(owner, '/api/replays/preview', body)
  expect(response.status).toBe(200)
  return response.json()
}

const idsOf = async (owner: Owner) => (await failedRuns(owner)).map(({ id }) => id)

describe('a bulk replay', () => {
  it('shows what it would do, and then replays all runs of an error', async () => {
    const owner = await someOwner()
    const one = await failTimes(owner, 2, { name: 'one' })
    const two = await failTimes(owner, 1, { name: 'two', max_runs_per_minute: 2 })
    const { fingerprint } = (await failedRuns(owner))[0]!
    const shown = await preview(owner, { fingerprint, per_minute: 600 })
    expect(shown).toEqual({
      selected: 3,
      already_replayed: 0,
      triggers: [
        { trigger_id: one, name: 'one', runs: 2, enabled: true },
        { trigger_id: two, name: 'two', runs: 1, enabled: true },
      ],
      per_minute: 600,
      estimated_s: 30,
      min_cost_cents: 3,
    })
    await patch(owner, one, { action_code: script(success()) })
    const replay = await startReplay(owner, { fingerprint, per_minute: 600 })
    expect(replay).toMatchObject({ status: 'running', selected: 3, code: 'current' })
    const done = await untilReplay(owner, replay.id)
    expect(done).toMatchObject({ status: 'done', replayed: 3, remaining: 0, skipped: skippedNone })
    expect(await get(owner, '/api/replays')).toEqual({ replays: [done], next_cursor: null })
    const listed = await failedRuns(owner, `&trigger_id=${one}`)
    expect(listed).toHaveLength(2)
    for (const { id, replay: marked } of listed) {
      expect(marked).toMatchObject({ replay_id: replay.id })
      const run = await runOnce(owner, marked!.run_id)
      expect(run).toMatchObject({ replay_of: id, status: 'success', response: 'done' })
    }
    expect((await failedRuns(owner, `&trigger_id=${one}`))[0]!.replay!.status).toBe('success')
  })

  it('uses the original code if requested', async () => {
    const owner = await someOwner()
    const id = await failTimes(owner, 1)
    const runId = (await idsOf(owner))[0]!
    await patch(owner, id, { action_code: script(success()) })
    const { id: replayId } = await startReplay(owner, { run_ids: [runId], code: 'original' })
    await untilReplay(owner, replayId)
    const [listed] = await failedRuns(owner, '&replayed=true')
    expect(await runOnce(owner, listed!.replay!.run_id)).toMatchObject({ status: 'failed' })
  })

  it('replays runs of given IDs that did not fail', async () => {
    const owner = await someOwner()
    const { id } = await createTrigger(owner)
    const run = await runOnce(owner, await fire(id))
    const { id: replayId } = await startReplay(owner, { run_ids: [run.id, run.id] })
    expect(await untilReplay(owner, replayId)).toMatchObject({ selected: 1, replayed: 1 })
    expect(await replayedRuns(id)).toEqual([run.id])
  })

  it('leaves out runs that were already replayed, unless requested', async () => {
    const owner = await someOwner()
    const id = await failTimes(owner, 2)
    await patch(owner, id, { action_code: script(success()) })
    const { id: first } = await startReplay(owner, { trigger_id: id })
    await untilReplay(owner, first)
    expect(await preview(owner, { trigger_id: id })).toMatchObject({
      selected: 0,
      already_replayed: 2,
    })
    const again = await send(owner, '/api/replays', { trigger_id: id })
    expect([again.status, (await again.json<{ reason: string }>()).reason]).toEqual([
      409,
      'nothing_to_replay',
    ])
    const { id: second } = await startReplay(owner, { trigger_id: id, include_replayed: true })
    expect(await untilReplay(owner, second)).toMatchObject({ replayed: 2 })
    expect(await replayedRuns(id)).toHaveLength(4)
  })

  it('selects by time of failure', async () => {
    const owner = await someOwner()
    await failTimes(owner, 1)
    const [run] = await failedRuns(owner)
    expect(await preview(owner, { since: run!.failed_at })).toMatchObject({ selected: 1 })
    expect(await preview(owner, { until: run!.failed_at })).toMatchObject({ selected: 0 })
  })

  it('skips the runs of a disabled trigger and of a deleted one', async () => {
    const owner = await someOwner()
    const disabled = await failTimes(owner, 2)
    const deleted = await failTimes(owner, 1)
    const run_ids = await idsOf(owner)
    await patch(owner, disabled, { enabled: false })
    // One run a minute, so that the other trigger can be deleted before its turn.
    const oldestFirst = run_ids.toReversed()
    const { id } = await startReplay(owner, { run_ids: oldestFirst, per_minute: 1 })
    await untilReplay(owner, id, ({ skipped }) => skipped.trigger_disabled === 2)
    expect(await untilReplay(owner, id)).toMatchObject({ status: 'done', replayed: 1 })
    await patch(owner, disabled, { enabled: true })
    const again = await startReplay(owner, {
      run_ids: oldestFirst,
      per_minute: 1,
      include_replayed: true,
    })
    await untilReplay(owner, again.id, ({ replayed }) => replayed === 1)
    expect((await owner.api(`/api/triggers/${deleted}`, { method: 'DELETE' })).status).toBe(204)
    await sendNext(owner)
    await untilReplay(owner, again.id, ({ replayed }) => replayed === 2)
    await sendNext(owner)
    expect(await untilReplay(owner, again.id)).toMatchObject({
      replayed: 2,
      skipped: { trigger_deleted: 1 },
    })
  })

  it('fills half of a queue, waits, and then continues', async () => {
    const owner = await someOwner()
    const id = await failTimes(owner, 4)
    await patch(owner, id, { max_queued_runs: 4, max_runs_per_minute: 1 })
    const { id: replayId } = await startReplay(owner, { trigger_id: id })
    const waiting = await untilReplay(owner, replayId, (replay) => replay.waiting_for.length > 0)
    expect(waiting).toMatchObject({ status: 'running', replayed: 2, remaining: 2 })
    expect(waiting.waiting_for).toEqual([
      { trigger_id: id, reason: 'queue_full', since: expect.any(String) },
    ])
    expect((await send(owner, `/api/triggers/${id}/purge`)).status).toBe(200)
    await sendNext(owner)
    expect(await untilReplay(owner, replayId)).toMatchObject({ replayed: 4, waiting_for: [] })
  })

  it('skips runs if the queue is full for a day', async () => {
    const owner = await someOwner()
    const id = await failTimes(owner, 3)
    await patch(owner, id, { max_queued_runs: 2, max_runs_per_minute: 1 })
    const { id: replayId } = await startReplay(owner, { trigger_id: id })
    await untilReplay(owner, replayId, (replay) => replay.waiting_for.length > 0)
    await inReports(owner, 'UPDATE replay_batches SET waiting_since = 1')
    await sendNext(owner)
    expect(await untilReplay(owner, replayId)).toMatchObject({
      status: 'done',
      replayed: 1,
      skipped: { queue_full: 2 },
    })
    expect(await preview(owner, { trigger_id: id })).toMatchObject({ selected: 2 })
  })

  it('queues no more runs per minute than allowed', async () => {
    const owner = await someOwner()
    const id = await failTimes(owner, 3)
    const { id: replayId } = await startReplay(owner, { trigger_id: id, per_minute: 1 })
    await untilReplay(owner, replayId, ({ replayed }) => replayed === 1)
    const [row] = await inReports(owner, 'SELECT next_at, created_at FROM replays')
    expect(Number(row!.next_at) - Number(row!.created_at)).toBeGreaterThanOrEqual(60_000)
    expect(await replayedRuns(id)).toHaveLength(1)
  })

  it('refuses more than five at a time', async () => {
    const owner = await someOwner()
    await failTimes(owner, 6)
    const ids = await idsOf(owner)
    // Two runs each, so that the second one waits for a minute.
    const start = () =>
      send(owner, '/api/replays', { run_ids, per_minute: 1, include_replayed: true })
    const run_ids = ids.slice(0, 2)
    for (let n = 0; n < 5; n++) expect((await start()).status).toBe(202)
    const sixth = await start()
    expect([sixth.status, (await sixth.json<{ reason: string }>()).reason]).toEqual([
      409,
      'too_many_replays',
    ])
  })
})

describe('after a crash', () => {
  it('between two batches, a replay continues and replays no run twice', async () => {
    const owner = await someOwner()
    const id = await failTimes(owner, 12)
    const originals = (await idsOf(owner)).toSorted()
    const { id: replayId } = await startReplay(owner, { trigger_id: id })
    await untilReplay(owner, replayId, ({ replayed }) => replayed === 10)
    await crash(owner)
    await kill(id)
    expect(await readReplay(owner, replayId)).toMatchObject({ status: 'running', remaining: 2 })
    await sendNext(owner)
    expect(await untilReplay(owner, replayId)).toMatchObject({ replayed: 12, failed: 0 })
    expect(await replayedRuns(id)).toEqual(originals)
  })

  it('before the result of a batch was stored, the batch is sent again without effect', async () => {
    const owner = await someOwner()
    const id = await failTimes(owner, 3)
    const originals = (await idsOf(owner)).toSorted()
    const { id: replayId } = await startReplay(owner, { trigger_id: id, per_minute: 1 })
    await untilReplay(owner, replayId, ({ replayed }) => replayed === 1)
    const suffixes = originals.map((run) => run.slice(TRIGGER_ID_CHARACTERS))
    // The batches reach the trigger, but the object of the user does not store their results.
    const batch = { replayId, suffixes, code: 'current' as const, isCancelled: false }
    await queueOf(id).replayBatch(owner.id, batch)
    await crash(owner)
    await sendNext(owner)
    await untilReplay(owner, replayId, ({ replayed }) => replayed === 2)
    await sendNext(owner)
    expect(await untilReplay(owner, replayId)).toMatchObject({ replayed: 3 })
    expect(await replayedRuns(id)).toEqual(originals)
  })

  it('a cancelled replay counts the runs of its last batch, and queues no more', async () => {
    const owner = await someOwner()
    const id = await failTimes(owner, 3)
    const { id: replayId } = await startReplay(owner, { trigger_id: id, per_minute: 1 })
    await untilReplay(owner, replayId, ({ replayed }) => replayed === 1)
    // The object crashed while the second batch was being sent.
    const [next] = await inReports(owner, 'SELECT min(number) AS number FROM replay_batches')
    await inReports(owner, 'UPDATE replay_batches SET sending = 1 WHERE number = ?', next!.number)
    await crash(owner)
    await send(owner, `/api/replays/${replayId}/cancel`)
    const ended = await untilReplay(owner, replayId)
    expect(ended).toMatchObject({ status: 'cancelled', replayed: 1, skipped: { cancelled: 2 } })
    expect(await replayedRuns(id)).toHaveLength(1)
  })
})

describe('POST /api/replays/{id}/cancel', () => {
  it('stops within one batch, and frees the other runs for a later replay', async () => {
    const owner = await someOwner()
    const id = await failTimes(owner, 12)
    const { id: replayId } = await startReplay(owner, { trigger_id: id })
    await untilReplay(owner, replayId, ({ replayed }) => replayed === 10)
    const response = await send(owner, `/api/replays/${replayId}/cancel`)
    expect(await response.json<ReplayRecord>()).toMatchObject({
      status: 'cancelled',
      replayed: 10,
      remaining: 0,
      skipped: { cancelled: 2 },
    })
    await sendNext(owner)
    expect(await replayedRuns(id)).toHaveLength(10)
    expect(await preview(owner, { trigger_id: id })).toMatchObject({ selected: 2 })
    const again = await send(owner, `/api/replays/${replayId}/cancel`)
    expect([again.status, (await again.json<{ reason: string }>()).reason]).toEqual([
      409,
      'replay_ended',
    ])
  })

  it('keeps the marks of runs that were replayed in another way, so that none is replayed again', async () => {
    const owner = await someOwner()
    const id = await failTimes(owner, 3)
    await patch(owner, id, { action_code: script(success()) })
    const { id: replayId } = await startReplay(owner, { trigger_id: id, per_minute: 1 })
    await untilReplay(owner, replayId, ({ replayed }) => replayed === 1)
    const waiting = (await failedRuns(owner)).filter((run) => run.replay!.status === 'pending')
    const [single, bulk] = waiting.map((run) => run.id)
    expect((await send(owner, `/api/runs/${single}/replay`)).status).toBe(202)
    const other = await startReplay(owner, { run_ids: [bulk], include_replayed: true })
    await untilReplay(owner, other.id)
    await expect
      .poll(async () => (await failedRuns(owner)).map(({ replay }) => replay!.replay_id))
      .toContain(null)
    await send(owner, `/api/replays/${replayId}/cancel`)
    expect(await preview(owner, { trigger_id: id })).toMatchObject({
      selected: 0,
      already_replayed: 3,
    })
  })
})

describe('an attacker', async () => {
  const victim = await someOwner()
  const mallory = await someOwner()
  const id = await failTimes(victim, 2)
  const runs = await failedRuns(victim)
  const [run] = runs

  it('IDOR: cannot replay or preview runs of another user', async () => {
    const unknown = `${await unknownTriggerId()}${'A'.repeat(16)}`
    for (const path of ['/api/replays', '/api/replays/preview']) {
      const answers = await Promise.all(
        [run!.id, unknown, 'A'.repeat(48)].map(async (runId) => {
          const response = await send(mallory, path, { run_ids: [runId] })
          return [response.status, (await response.text()).replaceAll(runId, '<id>')]
        }),
      )
      expect(answers[0]![0]).toBe(404)
      for (const answer of answers) expect(answer).toEqual(answers[0])
    }
    expect(await replayedRuns(id)).toEqual([])
  })

  it('IDOR: selects no runs of another user by trigger or fingerprint', async () => {
    const { fingerprint } = run!
    for (const filter of [{ trigger_id: id }, { fingerprint }, { since: run!.failed_at }]) {
      expect(await preview(mallory, filter)).toMatchObject({ selected: 0, triggers: [] })
      expect((await send(mallory, '/api/replays', filter)).status).toBe(409)
    }
    expect(await replayedRuns(id)).toEqual([])
  })

  it('IDOR: cannot read or cancel a replay of another user', async () => {
    const { id: replayId } = await startReplay(victim, { trigger_id: id, per_minute: 1 })
    expect((await mallory.api(`/api/replays/${replayId}`)).status).toBe(404)
    expect((await send(mallory, `/api/replays/${replayId}/cancel`)).status).toBe(404)
    expect((await readReplay(victim, replayId)).status).toBe('running')
  })

  it('IDOR: a trigger queues no batch of another user', async () => {
    const suffixes = runs.map((failed) => failed.id.slice(TRIGGER_ID_CHARACTERS))
    const batch = { replayId: 'x', suffixes, code: 'current' as const, isCancelled: false }
    expect(await queueOf(id).replayBatch(mallory.id, batch)).toEqual({ state: 'unknown' })
    expect(await queueOf(id).runStates(mallory.id, suffixes)).toBeUndefined()
  })

  it('privilege escalation: a token that may only read cannot start or cancel a replay', async () => {
    const reader = await someOwner({ scopes: ['triggers:read'] })
    expect((await send(reader, '/api/replays', { since: run!.failed_at })).status).toBe(403)
    expect((await send(reader, `/api/replays/x/cancel`)).status).toBe(403)
    expect((await send(reader, '/api/replays/preview', { since: run!.failed_at })).status).toBe(200)
  })
})

describe('an Idempotency-Key', () => {
  const sendWithKey = (owner: Owner, key: string, body: object) =>
    send(owner, '/api/replays', body, { 'idempotency-key': key })

  async function startWithKey(owner: Owner, key: string, body: object): Promise<ReplayRecord> {
    const response = await sendWithKey(owner, key, body)
    expect(response.status).toBe(202)
    return response.json()
  }

  /** A run that did not fail, so that nothing but the key prevents a second replay. */
  async function successfulRun(owner: Owner) {
    const { id } = await createTrigger(owner)
    const run = await runOnce(owner, await fire(id))
    return { id, run_ids: [run.id] }
  }

  it('returns the replay that exists, in its present state', async () => {
    const owner = await someOwner()
    const { id, run_ids } = await successfulRun(owner)
    const first = await startWithKey(owner, 'one', { run_ids })
    const done = await untilReplay(owner, first.id)
    const fieldsInOtherOrder = { per_minute: 60, code: 'current', run_ids }
    expect(await startWithKey(owner, 'one', fieldsInOtherOrder)).toEqual(done)
    expect(await replayedRuns(id)).toEqual(run_ids)
    const other = await startWithKey(owner, 'two', { run_ids })
    expect(other.id).not.toBe(first.id)
    await untilReplay(owner, other.id)
    expect(await replayedRuns(id)).toEqual([...run_ids, ...run_ids])
  })

  it('starts one replay for requests at the same time', async () => {
    const owner = await someOwner()
    const { id, run_ids } = await successfulRun(owner)
    const started = await Promise.all(
      Array.from({ length: 4 }, () => startWithKey(owner, 'one', { run_ids })),
    )
    expect(new Set(started.map((replay) => replay.id)).size).toBe(1)
    await untilReplay(owner, started[0]!.id)
    expect(await replayedRuns(id)).toEqual(run_ids)
  })

  it('returns the replay of a trigger that was deleted in the meantime', async () => {
    const owner = await someOwner()
    const { id, run_ids } = await successfulRun(owner)
    const first = await startWithKey(owner, 'one', { run_ids })
    const done = await untilReplay(owner, first.id)
    expect((await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect(await startWithKey(owner, 'one', { run_ids })).toEqual(done)
  })

  it('is refused with another body', async () => {
    const owner = await someOwner()
    const { id, run_ids } = await successfulRun(owner)
    const first = await startWithKey(owner, 'one', { run_ids })
    await untilReplay(owner, first.id)
    const other = await sendWithKey(owner, 'one', { run_ids, include_replayed: true })
    expect([other.status, (await other.json<{ message: string }>()).message]).toEqual([
      422,
      'Idempotency-Key: already used for a request with a different body.',
    ])
    expect(await replayedRuns(id)).toEqual(run_ids)
  })

  it('can be used again after a request that started nothing', async () => {
    const owner = await someOwner()
    const { run_ids } = await successfulRun(owner)
    const since = '2100-01-01T00:00:00Z'
    expect((await sendWithKey(owner, 'one', { since })).status).toBe(409)
    expect(await startWithKey(owner, 'one', { run_ids })).toMatchObject({ selected: 1 })
  })

  it('counts for 24 hours', async () => {
    const owner = await someOwner()
    const { id, run_ids } = await successfulRun(owner)
    const first = await startWithKey(owner, 'one', { run_ids })
    await untilReplay(owner, first.id)
    const almost = 24 * 3600 * 1000 - 600_000
    await inReports(owner, 'UPDATE replays SET created_at = created_at - ?', almost)
    expect((await startWithKey(owner, 'one', { run_ids })).id).toBe(first.id)
    await inReports(owner, 'UPDATE replays SET created_at = created_at - 600000')
    const second = await startWithKey(owner, 'one', { run_ids })
    expect(second.id).not.toBe(first.id)
    await untilReplay(owner, second.id)
    expect(await replayedRuns(id)).toEqual([...run_ids, ...run_ids])
    // The latest replay with the key counts.
    expect((await startWithKey(owner, 'one', { run_ids })).id).toBe(second.id)
  })

  it('IDOR: does not return the replay of another user', async () => {
    const [owner, mallory] = [await someOwner(), await someOwner()]
    const { run_ids } = await successfulRun(owner)
    await startWithKey(owner, 'one', { run_ids })
    const own = await successfulRun(mallory)
    await startWithKey(mallory, 'other', { run_ids: own.run_ids })
    expect((await sendWithKey(mallory, 'one', { run_ids })).status).toBe(404)
  })

  it.each(['', 'a'.repeat(256), 'caf\u00e9'])('is refused if it is malformed: %j', async (key) => {
    const owner = await someOwner()
    const { run_ids } = await successfulRun(owner)
    const response = await sendWithKey(owner, key, { run_ids })
    const { message }: { message: string } = await response.json()
    expect([response.status, message]).toEqual([400, expect.stringContaining('Idempotency-Key')])
  })
})

describe('POST /api/replays', async () => {
  const owner = await someOwner()

  it.each([
    [{}, 'run_ids'],
    [{ run_ids: [] }, 'run_ids'],
    [{ run_ids: ['x'] }, 'run_ids'],
    [{ run_ids: ['A'.repeat(48)], fingerprint: '0'.repeat(16) }, 'run_ids'],
    [{ fingerprint: 'x' }, 'fingerprint'],
    [{ trigger_id: 'x' }, 'trigger_id'],
    [{ since: 'yesterday' }, 'since'],
    [{ fingerprint: '0'.repeat(16), per_minute: 601 }, 'per_minute'],
    [{ fingerprint: '0'.repeat(16), code: 'newest' }, 'code'],
    [{ fingerprint: '0'.repeat(16), rate: 1 }, 'rate'],
  ])('returns 422 and names the field: %j', async (body, field) => {
    for (const path of ['/api/replays', '/api/replays/preview']) {
      const response = await send(owner, path, body)
      const { message }: { message: string } = await response.json()
      expect([response.status, message]).toEqual([422, expect.stringContaining(field)])
    }
  })
})
