/** Starts `svc mcp` as an MCP client would, and calls each of its tools once against real services. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect } from 'vitest'
import { called, refusal } from '../shared/cli/mcp-calls.ts'
import { until } from './owner.ts'

export type World = {
  /** The command, started in a folder that contains `action.js`. */
  command: string[]
  folder: string
  environment: Record<string, string>
  triggersUrl: string
  /** Wallet with coins with which the usage key may send transactions. */
  wallet: string
  /** A person opens the URL, types the code and presses Authorize. */
  approve(this: void, authorizeUrl: string, userCode: string): Promise<void>
  email: string
}

export async function useEveryTool(world: World): Promise<void> {
  const [command, ...args] = world.command
  const transport = new StdioClientTransport({
    command: command!,
    args,
    cwd: world.folder,
    env: world.environment,
    stderr: 'pipe',
  })
  const client = new Client({ name: 'system', version: '1' })
  const broken: Error[] = []
  Object.assign(client, { onerror: (error: Error) => broken.push(error) })
  await client.connect(transport)
  try {
    await authorized(client, world)
    const trigger_id = await triggersIn(client)
    await runsOf(client, trigger_id)
    await alertsOf(client, trigger_id)
    await actionsOf(client)
    await walletsOf(client)
    await accountOf(client)
    await transactionsOf(client, world.wallet)
    expect(await use(client, 'delete_trigger', { trigger_id })).toEqual({ deleted: trigger_id })
    expect((await refusal(client, 'get_trigger', { trigger_id })).status).toBe(404)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([])
    const { contents } = await client.readResource({ uri: `${world.triggersUrl}/SKILL.md` })
    expect(JSON.stringify(contents)).toContain(world.triggersUrl)
    // The transport reports output that is not a valid message as an error.
    expect(broken).toEqual([])
  } finally {
    await client.close()
  }
}

const used = new Set<string>()

function use(client: Client, name: string, args: object = {}): Promise<any> {
  used.add(name)
  return called(client, name, args)
}

async function alertsOf(client: Client, trigger_id: string): Promise<void> {
  const muted = await use(client, 'mute_alerts', { trigger_id, muted: true })
  expect(muted).toMatchObject({ trigger_id, muted: true })
  // An entry follows its change by up to a few seconds.
  const changes = () => use(client, 'list_trigger_changes', { trigger_id, page_size: 50 })
  await expect
    .poll(async () => (await changes()).entries.length, { timeout: 15_000 })
    .toBeGreaterThan(0)
  const { entries } = await changes()
  expect(entries.at(-1)).toMatchObject({ operation: 'create_trigger', subject: { trigger_id } })
  expect(JSON.stringify(entries)).not.toContain('127.0.0.1')
  const { incidents } = await use(client, 'list_incidents', { trigger_id })
  expect(incidents).toBeInstanceOf(Array)
  const limits = await use(client, 'set_alert_thresholds', { trigger_id, failure_rate: 0.1 })
  expect(limits.thresholds).toEqual({ failure_rate: 0.1, queue_share: null })
  const added = await use(client, 'add_alert_trigger', { trigger_id, name: 'agent' })
  expect(added).toMatchObject({ type: 'trigger', trigger_id, name: 'agent' })
  expect(added).not.toHaveProperty('secret')
  const { channels } = await use(client, 'list_alert_channels')
  expect(channels).toEqual([added])
  const tested = await use(client, 'test_alert_channel', { channel_id: added.id })
  expect(tested).toMatchObject({ channel: 'trigger', test: true })
  const deleted = await use(client, 'delete_alert_channel', { channel_id: added.id })
  expect(deleted).toEqual({ channel_id: added.id, deleted: true })
}

async function actionsOf(client: Client): Promise<void> {
  const fields = { name: 'kept', source: 'const main = () => 1' }
  const { id: action_id } = await use(client, 'create_action', fields)
  const saved = await use(client, 'save_action_version', {
    action_id,
    source: 'const main = () => 2',
  })
  expect(saved).toMatchObject({ number: 2, created: true })
  const { actions } = await use(client, 'list_actions')
  expect(actions).toMatchObject([{ id: action_id, current_version: 2 }])
  const { versions } = await use(client, 'list_action_versions', { action_id })
  expect(versions).toHaveLength(2)
  const first = await use(client, 'get_action_version', { action_id, number: 1 })
  expect(first.source).toBe(fields.source)
  await use(client, 'use_action_version', { action_id, number: 1 })
  expect((await use(client, 'get_action', { action_id })).source).toBe(fields.source)
}

async function authorized(client: Client, { approve, email }: World): Promise<void> {
  expect((await refusal(client, 'whoami')).error).toBe('no_token')
  const { authorize_url, user_code } = await use(client, 'authorize', { label: 'an agent' })
  expect((await refusal(client, 'whoami')).error).toBe('not_approved_yet')
  await approve(authorize_url, user_code)
  const me = await use(client, 'whoami')
  expect(me).toMatchObject({ email, label: 'an agent' })
  expect((await refusal(client, 'authorize')).error).toBe('already_authorized')
}

/** @returns the ID of a webhook trigger with `action.js` as its action */
async function triggersIn(client: Client): Promise<string> {
  const schedule = { kind: 'schedule', config: { cron: '0 7 * * *' } }
  expect((await use(client, 'preview_trigger', schedule)).next.length).toBeGreaterThan(1)
  expect((await use(client, 'list_chains')).chains).toBeInstanceOf(Array)
  const { action_cid } = await use(client, 'compute_action_cid', { action_file: 'action.js' })
  const made = await use(client, 'create_trigger', {
    name: 'of mcp',
    kind: 'webhook',
    action_file: 'action.js',
    default_params: { greeting: 'hello' },
  })
  expect(made).toMatchObject({ action_cid, enabled: true })
  const changed = await use(client, 'update_trigger', {
    trigger_id: made.id,
    max_runs_per_minute: 1,
  })
  expect(changed.max_runs_per_minute).toBe(1)
  const { triggers } = await use(client, 'list_triggers', { kind: 'webhook' })
  expect(triggers.map(({ id }: { id: string }) => id)).toContain(made.id)
  return (await use(client, 'get_trigger', { trigger_id: made.id })).id
}

async function runsOf(client: Client, trigger_id: string): Promise<void> {
  const tested = { trigger_id, event: { name: 'Ada' } }
  const { run_id } = await use(client, 'test_trigger', tested)
  let run = await use(client, 'wait_for_run', { run_id })
  while (run.finished_at === null) run = await use(client, 'wait_for_run', { run_id })
  expect(run).toMatchObject({ status: 'success', response: { greeting: 'hello Ada' }, test: true })
  expect((await use(client, 'get_run', { run_id })).receipt).toEqual(expect.any(String))
  // The limit of one run per minute keeps these queued.
  const again = await use(client, 'replay_run', { run_id })
  const cancelled = await use(client, 'cancel_run', { run_id: again.run_id })
  expect(cancelled).toMatchObject({ status: 'failed', replay_of: run_id })
  await use(client, 'test_trigger', tested)
  expect((await use(client, 'purge_trigger', { trigger_id })).cancelled).toBe(1)
  const { runs } = await use(client, 'list_runs', { trigger_id, status: 'failed' })
  expect(runs).toHaveLength(2)
  // A run appears up to 15 seconds after it was queued.
  await until(30, 'the runs of all triggers are listed', async () => {
    const listed = await use(client, 'list_all_runs', { status: 'failed' })
    return JSON.stringify(idsOf(listed.runs)) === JSON.stringify(idsOf(runs)) || undefined
  })
  await replaysOf(client, [run_id, again.run_id])
}

const idsOf = (runs: { id: string }[]) => runs.map(({ id }) => id)

async function replaysOf(client: Client, run_ids: string[]): Promise<void> {
  expect(await use(client, 'list_failed_runs')).toEqual({ failed_runs: [] })
  expect(await use(client, 'list_error_groups')).toEqual({ error_groups: [] })
  const request = { run_ids, per_minute: 1 }
  expect((await use(client, 'preview_replay', request)).selected).toBe(2)
  const { id: replay_id } = await use(client, 'start_replay', request)
  await until(20, 'the first run is replayed', async () => {
    const { replayed } = await use(client, 'get_replay', { replay_id })
    return replayed === 1 || undefined
  })
  const cancelled = await use(client, 'cancel_replay', { replay_id })
  expect(cancelled).toMatchObject({ status: 'cancelled', skipped: { cancelled: 1 } })
}

/** Uses a key that may create wallets. */
async function walletsOf(client: Client): Promise<void> {
  const rules = [
    { name: 'greet', effect: 'allow', kind: 'message', messages: [{ prefix: 'greetings, ' }] },
  ]
  const policy = { version: 1, rules }
  const { pkp_id, policy_hash } = await use(client, 'create_wallet', { name: 'of mcp', policy })
  const held = await use(client, 'get_wallet_policy', { pkp_id })
  expect(held).toMatchObject({ policy_hash, policy, pending: null, sums: [] })
  const request = { kind: 'message', message: 'greetings, Ada' }
  const simulated = await use(client, 'simulate_signature', { pkp_id, request })
  expect(simulated).toMatchObject({ decision: 'allow', rule: 'greet', policy_hash })
}

/** Reads the account with its account key. */
async function accountOf(client: Client): Promise<void> {
  const { usage_keys } = await use(client, 'list_usage_keys')
  expect(usage_keys.length).toBeGreaterThan(0)
  expect(usage_keys[0]).toMatchObject({ expires_at: null, api_key_hash: expect.any(String) })
  const { entries, total } = await use(client, 'list_audit_log', { page_size: 2 })
  expect(entries[0]).toMatchObject({ sequence: total, actor: expect.any(Object) })
  expect(JSON.stringify(entries)).not.toContain('127.0.0.1')
  expect(entries[0]).not.toHaveProperty('client_address')
}

async function transactionsOf(client: Client, wallet: string): Promise<void> {
  const fields = { pkp_id: wallet, chain: 'ethereum', to: wallet, value: '1' }
  // No block includes a transaction with this ceiling until it is raised.
  const first = { ...fields, max_fee_per_gas: '1', idempotency_key: 'first' }
  const { id, state } = await use(client, 'send_transaction', first)
  expect(state).toBe('queued')
  expect((await use(client, 'send_transaction', first)).id).toBe(id)
  const raised = { id, max_fee_per_gas: String(10n ** 11n) }
  expect((await use(client, 'speed_up_transaction', raised)).id).toBe(id)
  await until(60, 'the transaction is mined', async () => {
    const { transactions } = await use(client, 'list_transactions', { id })
    return /mined|final/.test(transactions[0].state) || undefined
  })
  const second = { ...first, idempotency_key: 'second' }
  const other = (await use(client, 'send_transaction', second)).id
  await use(client, 'cancel_transaction', { id: other })
  const { transactions } = await use(client, 'list_transactions', { pkp_id: wallet })
  expect(transactions.map((one: { id: string }) => one.id)).toEqual([other, id])
}
